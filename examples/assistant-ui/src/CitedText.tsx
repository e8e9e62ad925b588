import type { Message } from "@ag-ui/client";
import type { TextMessagePartProps } from "@assistant-ui/react";
import { useAgUiState } from "@assistant-ui/react-ag-ui";
import { CitedMarkdown, SummaryLine, useDisplayCitations } from "@pincite/react";
import { useContext } from "react";
import { AgentContext } from "./Thread.jsx";

/** Text of an answer with markers. A marker shows the evidence beside it. */
export function CitedText({ text, status }: TextMessagePartProps) {
  const agent = useContext(AgentContext);
  const state = useAgUiState();
  const messageId = findMessageId(agent?.messages ?? [], text);
  const { summary } = useDisplayCitations({ state, messageId });
  return (
    <>
      <CitedMarkdown
        text={text}
        state={state}
        messageId={messageId}
        isStreaming={status.type === "running"}
      />
      <SummaryLine summary={summary} />
    </>
  );
}

/** Returns the id that the agent gave to a message. assistant-ui gives ids of its own, so the text decides. */
function findMessageId(messages: readonly Message[], text: string): string {
  const found = messages.findLast(
    ({ role, content }) =>
      role === "assistant" && typeof content === "string" && content.startsWith(text),
  );
  return found?.id ?? "";
}
