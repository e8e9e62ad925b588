import { type Message, messageText } from "@pincite/client";
import { SummaryLine } from "../citations/SummaryLine.js";
import { CitedMarkdown, type CitedMarkdownProps } from "../markdown/CitedMarkdown.js";
import { useDisplayCitations } from "../useCitations.js";

/** Properties of an answer. */
export interface ResponseStreamProps
  extends Pick<
    CitedMarkdownProps,
    "state" | "stateKey" | "variant" | "onSelect" | "renderCode" | "isStreaming"
  > {
  message: Message;
}

/** Answer of an agent while it streams and afterwards: its text with markers, and the summary of its citations. */
export function ResponseStream({ message, ...props }: ResponseStreamProps) {
  const { state, stateKey } = props;
  const selector = { state, messageId: message.id, ...(stateKey ? { stateKey } : {}) };
  const { summary } = useDisplayCitations(selector);
  return (
    <div data-response-stream="">
      <CitedMarkdown {...props} text={messageText(message)} messageId={message.id} />
      <SummaryLine summary={summary} />
    </div>
  );
}
