import type { DocumentInfo } from "@pincite/client";
import { client } from "../api/client.js";
import { showToast, TOAST_MS } from "../ui/toast.js";
import { refreshDocuments, removeDocument } from "./documentStore.js";
import { documentName } from "./filterDocuments.js";

/** Opens the original file. */
export function downloadDocument(document: DocumentInfo): void {
  window.open(
    client.url(`/documents/${encodeURIComponent(document.id)}/file`),
    "_blank",
    "noopener",
  );
}

/** Removes a document. The server is asked after the time for undoing it has passed. */
export function deleteDocument(document: DocumentInfo): void {
  removeDocument(document.id);
  const timer = setTimeout(async () => {
    try {
      await client.deleteDocument(document.id);
    } catch {
      showToast(`“${documentName(document)}” could not be deleted.`);
    }
    await refreshDocuments();
  }, TOAST_MS);
  showToast(`“${documentName(document)}” was deleted.`, {
    label: "Undo",
    onSelect: () => {
      clearTimeout(timer);
      void refreshDocuments();
    },
  });
}
