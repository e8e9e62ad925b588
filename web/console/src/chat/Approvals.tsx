import type { Conversation, Interrupt, ResumeEntry, ToolCall } from "@pincite/client";
import { useId, useState } from "react";
import { Button } from "../ui/Button.js";
import { formatJson, formatTime } from "../ui/format.js";
import { currentLocale } from "../ui/locale.js";
import styles from "./Approvals.module.css";

/** Decision of a person on one interrupt. */
interface Decision {
  isApproved: boolean;
  /** Arguments as JSON text; `undefined` if the interrupt has none. */
  argumentText: string | undefined;
  reason: string;
}

/** Requests of an agent that wait for a person. The run continues once all of them are decided. */
export function Approvals({
  conversation,
  onResume,
}: {
  conversation: Pick<Conversation, "interrupts" | "messages">;
  onResume: (entries: ResumeEntry[]) => void;
}) {
  const { interrupts } = conversation;
  const [decisions, setDecisions] = useState<Readonly<Record<string, Decision>>>({});
  const decide = (interrupt: Interrupt, decision: Decision) => {
    const next = { ...decisions, [interrupt.id]: decision };
    setDecisions(next);
    if (!interrupts.every(({ id }) => Object.hasOwn(next, id))) return;
    onResume(interrupts.map((entry) => resumeEntry(entry, next[entry.id])));
  };
  return interrupts
    .filter(({ id }) => !Object.hasOwn(decisions, id))
    .map((interrupt) => (
      <Approval
        key={interrupt.id}
        interrupt={interrupt}
        call={findCall(conversation, interrupt.toolCallId)}
        onDecide={(decision) => decide(interrupt, decision)}
      />
    ));
}

function findCall(
  conversation: Pick<Conversation, "messages">,
  id: string | undefined,
): ToolCall | undefined {
  const calls = conversation.messages.flatMap((message) => message.toolCalls ?? []);
  return calls.find((call) => call.id === id);
}

function isExpired(interrupt: Interrupt): boolean {
  return interrupt.expiresAt !== undefined && Date.parse(interrupt.expiresAt) <= Date.now();
}

function resumeEntry(interrupt: Interrupt, decision: Decision | undefined): ResumeEntry {
  // An expired interrupt can only be cancelled.
  if (decision === undefined || isExpired(interrupt)) {
    return { interruptId: interrupt.id, status: "cancelled" };
  }
  const { isApproved, argumentText, reason } = decision;
  return {
    interruptId: interrupt.id,
    status: "resolved",
    payload: {
      approved: isApproved,
      ...(isApproved && argumentText !== undefined ? { arguments: JSON.parse(argumentText) } : {}),
      ...(reason === "" ? {} : { reason }),
    },
  };
}

function Approval({
  interrupt,
  call,
  onDecide,
}: {
  interrupt: Interrupt;
  call: ToolCall | undefined;
  onDecide: (decision: Decision) => void;
}) {
  const [argumentText, setArgumentText] = useState(() =>
    call ? formatJson(call.function.arguments || "{}") : undefined,
  );
  const [reason, setReason] = useState("");
  const heading = useId();
  const error = argumentText === undefined ? undefined : jsonError(argumentText);
  const expired = isExpired(interrupt);
  return (
    <section className={styles.approval} aria-labelledby={heading}>
      <h2 id={heading} className={styles.title}>
        {interrupt.message ?? interrupt.reason ?? "The agent waits for your decision."}
      </h2>
      {call && (
        <p className={styles.detail}>
          It wants to use <code>{call.function.name}</code>.
        </p>
      )}
      {interrupt.expiresAt && (
        <p className={styles.detail}>
          {expired ? "This request has expired." : `Expires ${expiryText(interrupt.expiresAt)}.`}
        </p>
      )}
      {argumentText !== undefined && !expired && (
        <label className={styles.field}>
          Arguments
          <textarea
            value={argumentText}
            spellCheck={false}
            aria-invalid={error !== undefined}
            onChange={(event) => setArgumentText(event.target.value)}
          />
          {error && <span role="alert">{error}</span>}
        </label>
      )}
      {!expired && (
        <label className={styles.field}>
          Reason, if you reject it
          <input value={reason} onChange={(event) => setReason(event.target.value)} />
        </label>
      )}
      <div className={styles.buttons}>
        {expired ? (
          <Button onClick={() => onDecide({ isApproved: false, argumentText, reason })}>
            Continue without it
          </Button>
        ) : (
          <>
            <Button
              kind="primary"
              disabled={error !== undefined}
              onClick={() => onDecide({ isApproved: true, argumentText, reason: "" })}
            >
              Approve
            </Button>
            <Button onClick={() => onDecide({ isApproved: false, argumentText, reason })}>
              Reject
            </Button>
          </>
        )}
      </div>
    </section>
  );
}

function expiryText(time: string): string {
  const minutes = Math.ceil((Date.parse(time) - Date.now()) / 60_000);
  if (minutes > 24 * 60) return `on ${formatTime(time)}`;
  return new Intl.RelativeTimeFormat(currentLocale()).format(minutes, "minute");
}

function jsonError(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return `This is not valid JSON: ${(error as Error).message}`;
  }
}
