import type { DocumentInfo } from "@pincite/client";

/** Filter of the document list. */
export interface DocumentFilter {
  /** Words of the name. */
  text: string;
  /** Label that the documents have; empty for all. */
  label: string;
}

/** Column that the list is sorted by. */
export type DocumentColumn = "name" | "pages" | "size" | "added";

/** Order of the list. */
export interface DocumentOrder {
  column: DocumentColumn;
  isDescending: boolean;
}

/** Returns the name that people see: the title, or the file name, or the address. */
export function documentName(document: DocumentInfo): string {
  return document.title ?? document.filename ?? document.url ?? document.id;
}

/** Returns the documents that pass the filter, in order. Earlier versions of a file are left out. */
export function filterDocuments(
  documents: readonly DocumentInfo[],
  filter: DocumentFilter,
  order: DocumentOrder,
): DocumentInfo[] {
  const words = filter.text.toLocaleLowerCase().split(/\s+/).filter(Boolean);
  const shown = documents.filter((document) => {
    const text = `${documentName(document)} ${document.filename ?? ""}`.toLocaleLowerCase();
    return (
      !document.superseded &&
      words.every((word) => text.includes(word)) &&
      (filter.label === "" || document.labels.includes(filter.label))
    );
  });
  const direction = order.isDescending ? -1 : 1;
  return shown.sort((a, b) => direction * compare(a, b, order.column));
}

function compare(a: DocumentInfo, b: DocumentInfo, column: DocumentColumn): number {
  switch (column) {
    case "name":
      return documentName(a).localeCompare(documentName(b), undefined, { numeric: true });
    case "pages":
      return (a.pageCount ?? 0) - (b.pageCount ?? 0);
    case "size":
      return a.fileSize - b.fileSize;
    case "added":
      return a.createdAt.localeCompare(b.createdAt);
  }
}

/** Returns all labels of the documents in alphabetical order. */
export function labelsOf(documents: readonly DocumentInfo[]): string[] {
  return [...new Set(documents.flatMap((document) => document.labels))].sort((a, b) =>
    a.localeCompare(b),
  );
}
