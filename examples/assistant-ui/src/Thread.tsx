import type { AbstractAgent } from "@ag-ui/client";
import { ComposerPrimitive, MessagePrimitive, ThreadPrimitive } from "@assistant-ui/react";
import { createContext } from "react";
import { CitedText } from "./CitedText.jsx";

/** Agent of the thread, whose messages have the ids under which the state keeps their citations. */
export const AgentContext = createContext<AbstractAgent | undefined>(undefined);

/** Thread of assistant-ui whose answers have markers and evidence. */
export function Thread({ agent }: { agent: AbstractAgent }) {
  return (
    <AgentContext.Provider value={agent}>
      <ThreadPrimitive.Root className="pincite">
        <h1>Cited answers in assistant-ui</h1>
        <ThreadPrimitive.Viewport>
          <ThreadPrimitive.Messages components={{ UserMessage, AssistantMessage }} />
        </ThreadPrimitive.Viewport>
        <ComposerPrimitive.Root>
          <ComposerPrimitive.Input aria-label="Message" placeholder="Ask about the samples" />
          <ComposerPrimitive.Send>Send</ComposerPrimitive.Send>
        </ComposerPrimitive.Root>
      </ThreadPrimitive.Root>
    </AgentContext.Provider>
  );
}

function UserMessage() {
  return (
    <MessagePrimitive.Root data-message="" data-role="user">
      <MessagePrimitive.Parts />
    </MessagePrimitive.Root>
  );
}

function AssistantMessage() {
  return (
    <MessagePrimitive.Root data-message="" data-role="assistant">
      <MessagePrimitive.Parts components={{ Text: CitedText }} />
    </MessagePrimitive.Root>
  );
}
