import type { ExportFormat } from "../export/saveThread.js";
import { Menu } from "../ui/Menu.js";
import { showToast } from "../ui/toast.js";

/** Menu that saves an answer with its question as a file. */
export function AnswerMenu({ onSave }: { onSave: (format: ExportFormat) => Promise<void> }) {
  const save = (format: ExportFormat) => {
    onSave(format).catch((error: unknown) => {
      showToast(`The file could not be made: ${error instanceof Error ? error.message : error}`);
    });
  };
  return (
    <Menu
      items={[
        { label: "Markdown with footnotes", onSelect: () => save("markdown") },
        { label: "Web page with evidence", onSelect: () => save("html") },
        { label: "JSON", onSelect: () => save("json") },
      ]}
    >
      Save answer
    </Menu>
  );
}
