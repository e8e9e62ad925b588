import type { ThreadInfo } from "@pincite/client";
import { RequestError } from "@pincite/client";
import { client } from "../api/client.js";
import { deleteWithUndo } from "../api/undoableDelete.js";
import { showToast } from "../ui/toast.js";
import { refreshThreads, updateThread } from "./threadStore.js";

/** Renames a thread. An empty title removes it. */
export async function renameThread(id: string, title: string): Promise<void> {
  const trimmed = title.trim();
  updateThread(id, { title: trimmed === "" ? null : trimmed });
  await confirmChange(client.changeThread(id, { title: trimmed === "" ? null : trimmed }));
}

/** Archives a thread, or restores it. */
export async function archiveThread(id: string, archived: boolean): Promise<void> {
  updateThread(id, { archived });
  showToast(archived ? "Thread archived." : "Thread restored.", {
    label: "Undo",
    onSelect: () => void archiveThread(id, !archived),
  });
  await confirmChange(client.changeThread(id, { archived }));
}

/** Deletes a thread once the time to undo it is over, or when the page is closed. */
export function deleteThread(thread: ThreadInfo): void {
  deleteWithUndo({
    id: thread.id,
    path: `/threads/${encodeURIComponent(thread.id)}`,
    message: "Thread deleted.",
    refresh: refreshThreads,
  });
}

/** Shows the error of a change, and loads the threads as they are. */
async function confirmChange(change: Promise<unknown>): Promise<void> {
  try {
    await change;
  } catch (error) {
    showToast(error instanceof RequestError ? `${error.message} ${error.hint}` : String(error));
    await refreshThreads();
  }
}
