import type { Conversation, ThreadInfo } from "@pincite/client";
import { Menu } from "../ui/Menu.js";
import { showToast } from "../ui/toast.js";

/** Menu that saves a thread as a file, or prints it. The code that writes files is loaded when it is used. */
export function ExportMenu({
  title,
  thread,
  conversation,
  agent,
}: {
  title: string;
  thread: ThreadInfo | undefined;
  conversation: Conversation;
  agent: string;
}) {
  const save = async (format: "markdown" | "html" | "json") => {
    try {
      const { saveThread } = await import("../export/saveThread.js");
      await saveThread(format, { title, agent, thread, conversation });
    } catch (error) {
      showToast(`The file could not be made: ${error instanceof Error ? error.message : error}`);
    }
  };
  return (
    <Menu
      items={[
        { label: "Markdown with footnotes", onSelect: () => void save("markdown") },
        { label: "Web page with evidence", onSelect: () => void save("html") },
        { label: "JSON", onSelect: () => void save("json") },
        { label: "Print", onSelect: () => window.print() },
      ]}
    >
      Export
    </Menu>
  );
}
