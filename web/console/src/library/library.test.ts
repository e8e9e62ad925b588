import type { DocumentInfo } from "@pincite/client";
import { describe, expect, it } from "vitest";
import { highlightParts } from "../search/highlightParts.js";
import { filterDocuments, labelsOf } from "./filterDocuments.js";

function document(change: Partial<DocumentInfo>): DocumentInfo {
  return {
    id: "a",
    documentId: "hash",
    mimeType: "text/plain",
    fileSize: 1,
    createdAt: "2026-01-01T00:00:00Z",
    labels: [],
    state: "ready",
    pagesDone: 1,
    attempts: 1,
    superseded: false,
    ...change,
  };
}

describe("document list", () => {
  const documents = [
    document({ id: "1", title: "Tide tables", labels: ["sea"], pageCount: 2 }),
    document({ id: "2", filename: "report 10.pdf", labels: ["money", "sea"], pageCount: 40 }),
    document({ id: "3", filename: "report 9.pdf", pageCount: 3 }),
    document({ id: "4", filename: "report 9.pdf", superseded: true }),
  ];
  const ids = (list: DocumentInfo[]) => list.map(({ id }) => id);
  it("leaves out earlier versions and sorts numbers in names as numbers", () => {
    const order = { column: "name", isDescending: false } as const;
    expect(ids(filterDocuments(documents, { text: "", label: "" }, order))).toEqual([
      "3",
      "2",
      "1",
    ]);
  });
  it("filters by all words of the name and by label", () => {
    const order = { column: "pages", isDescending: true } as const;
    expect(ids(filterDocuments(documents, { text: "REPORT pdf", label: "" }, order))).toEqual([
      "2",
      "3",
    ]);
    expect(ids(filterDocuments(documents, { text: "", label: "sea" }, order))).toEqual(["2", "1"]);
  });
  it("lists each label once", () => {
    expect(labelsOf(documents)).toEqual(["money", "sea"]);
  });
});

describe("highlighted snippet", () => {
  it("divides the text at its highlights and ignores wrong ones", () => {
    const parts = highlightParts("the old harbour", [
      [4, 7],
      [5, 6],
      [8, 99],
    ]);
    expect(parts.map(({ text, isHighlighted }) => [text, isHighlighted])).toEqual([
      ["the ", false],
      ["old", true],
      [" harbour", false],
    ]);
  });
});
