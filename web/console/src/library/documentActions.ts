import { type DocumentInfo, RequestError } from "@pincite/client";
import { client } from "../api/client.js";
import { deleteWithUndo } from "../api/undoableDelete.js";
import { showToast } from "../ui/toast.js";
import { refreshDocuments, replaceDocument } from "./documentStore.js";
import { documentName } from "./filterDocuments.js";

/** Opens the original file. */
export function downloadDocument(document: DocumentInfo): void {
  window.open(
    client.url(`/documents/${encodeURIComponent(document.id)}/file`),
    "_blank",
    "noopener",
  );
}

/** Deletes a document once the time to undo it is over, or when the page is closed. */
export function deleteDocument(document: DocumentInfo): void {
  deleteWithUndo({
    id: document.id,
    path: `/documents/${encodeURIComponent(document.id)}`,
    message: `“${documentName(document)}” was deleted.`,
    refresh: refreshDocuments,
  });
}

/** Has a document read again from its file. */
export async function readAgain(document: DocumentInfo): Promise<void> {
  try {
    replaceDocument(await client.readAgain(document.id));
    showToast(`“${documentName(document)}” is read again.`);
    await refreshDocuments();
  } catch (error) {
    showToast(error instanceof RequestError ? `${error.message} ${error.hint}` : String(error));
  }
}
