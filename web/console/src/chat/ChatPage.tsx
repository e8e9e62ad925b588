import { Page } from "../shell/Page.js";
import { EmptyState } from "../ui/EmptyState.js";

/** Conversation of a thread, or the start page without one. */
export function ChatPage({ threadId }: { threadId?: string }) {
  return (
    <Page title={threadId === undefined ? "Ask your documents" : "Thread"}>
      <EmptyState title="Ask a question. Every quote in the answer is checked against its source." />
    </Page>
  );
}
