import type { Conversation, Message, ToolCall } from "@pincite/client";
import { randomId } from "@pincite/client";
import { useId, useState } from "react";
import { Button } from "../ui/Button.js";
import { formatJson } from "../ui/format.js";
import styles from "./Approvals.module.css";

/** Tool calls that the frontend has to answer. The console has no tools, so a person gives the result. */
export function ToolRequests({
  conversation,
  onAnswer,
}: {
  conversation: Pick<Conversation, "messages" | "pendingToolCallIds">;
  onAnswer: (results: Message[]) => void;
}) {
  const [answers, setAnswers] = useState<Readonly<Record<string, string>>>({});
  const pending = new Set(conversation.pendingToolCallIds);
  const calls = conversation.messages
    .flatMap((message) => message.toolCalls ?? [])
    .filter((call) => pending.has(call.id));
  const answer = (call: ToolCall, result: string) => {
    const next = { ...answers, [call.id]: result };
    setAnswers(next);
    if (!calls.every(({ id }) => Object.hasOwn(next, id))) return;
    onAnswer(
      calls.map(({ id }) => ({
        id: randomId(),
        role: "tool",
        toolCallId: id,
        content: next[id] ?? "",
      })),
    );
  };
  return calls
    .filter((call) => !Object.hasOwn(answers, call.id))
    .map((call) => (
      <ToolRequest key={call.id} call={call} onAnswer={(result) => answer(call, result)} />
    ));
}

function ToolRequest({ call, onAnswer }: { call: ToolCall; onAnswer: (result: string) => void }) {
  const [result, setResult] = useState("");
  const heading = useId();
  return (
    <section className={styles.approval} aria-labelledby={heading}>
      <h2 id={heading} className={styles.title}>
        The agent asks you for the result of {call.function.name}.
      </h2>
      <pre>{formatJson(call.function.arguments)}</pre>
      <label className={styles.field}>
        Result
        <textarea value={result} onChange={(event) => setResult(event.target.value)} />
      </label>
      <div className={styles.buttons}>
        <Button kind="primary" disabled={result === ""} onClick={() => onAnswer(result)}>
          Give result
        </Button>
        <Button onClick={() => onAnswer("The user gave no result.")}>Decline</Button>
      </div>
    </section>
  );
}
