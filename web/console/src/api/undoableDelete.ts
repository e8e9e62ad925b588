import { showToast, TOAST_MS } from "../ui/toast.js";
import { client, requestHeaders } from "./client.js";

/** Ids that are deleted once the time to undo it is over. Lists leave them out, however often they are loaded. */
const pending = new Set<string>();

/** Returns true for an item that a person deleted and may still restore. */
export function isBeingDeleted({ id }: { id: string }): boolean {
  return pending.has(id);
}

/** Deletion that can be undone. */
export interface UndoableDelete {
  id: string;
  /** Path of the resource. */
  path: string;
  /** Message while it can be undone. */
  message: string;
  /** Loads the list again. */
  refresh: () => Promise<void>;
}

/** Deletes a resource once the time to undo it is over, or when the page is closed. */
export function deleteWithUndo({ id, path, message, refresh }: UndoableDelete): void {
  pending.add(id);
  void refresh();
  const timer = setTimeout(send, TOAST_MS);
  window.addEventListener("pagehide", send);
  function cancel(): void {
    clearTimeout(timer);
    window.removeEventListener("pagehide", send);
  }
  async function send(): Promise<void> {
    cancel();
    try {
      // The request outlives the page.
      const response = await fetch(client.url(path), {
        method: "DELETE",
        headers: requestHeaders(),
        credentials: "same-origin",
        keepalive: true,
      });
      if (!response.ok && response.status !== 404) throw new Error(`HTTP ${response.status}`);
    } catch (error) {
      pending.delete(id);
      const reason = error instanceof Error ? error.message : String(error);
      showToast(`It could not be deleted: ${reason}`);
    }
    await refresh();
    pending.delete(id);
  }
  showToast(message, {
    label: "Undo",
    onSelect: () => {
      cancel();
      pending.delete(id);
      void refresh();
    },
  });
}
