import {
  type DisplayCitation,
  displayCitations,
  type Interrupt,
  type MessageCitations,
  SourceReference,
  type ToolCall,
} from "@pincite/client";

/** Answer whose citations have every state. */
export const SAMPLE_TEXT = [
  "The rent is **48,500 crowns** per month [1] and is adjusted every January [2].",
  "The tenant pays a deposit of six months [3]. Interest is due after ten days [4], by a law of 1931 [5].",
].join("\n\n");

const STATUSES = ["found", "found_on_other_page", "not_found", "partial_text_found"];
const QUOTES = [
  ["The rent is 48,500 crowns per month", "48,500"],
  ["It is adjusted every January to the consumer price index", "every January"],
  ["The tenant pays a deposit of six months of rent", "six months"],
  ["interest is due after ten days", "ten days"],
  ["the Law of Obligations of 1931", "1931"],
] as const;

/** Citations of the answer, as the shared state has them. */
export const SAMPLE_ENTRY: MessageCitations = {
  messageId: "sample",
  status: "verifying",
  summary: { total: 5, verified: 1, partial: 2, missed: 1, pending: 1 },
  citations: Object.fromEntries(
    QUOTES.map(([fullPhrase, anchorText], position) => [
      `key${position + 1}`,
      {
        type: "document",
        fullPhrase,
        anchorText,
        citationNumber: position + 1,
        attachmentId: "quay-lease.pdf",
      },
    ]),
  ),
  verifications: Object.fromEntries(
    STATUSES.map((status, position) => [
      `key${position + 1}`,
      {
        status,
        label: "quay-lease.pdf",
        document: { verifiedPageNumber: position + 1, verifiedLineIds: [11] },
      },
    ]),
  ),
};

/** Shared state with the citations of the answer. */
export const SAMPLE_STATE = { deepcitation: { messages: { sample: SAMPLE_ENTRY } } };

/** Citations of the answer in the order of their numbers. */
export const SAMPLE_CITATIONS: readonly DisplayCitation[] = displayCitations(SAMPLE_ENTRY);

/** Sources of a turn. */
export const SAMPLE_SOURCES = [
  new SourceReference({
    chunkId: "chunk-1",
    documentId: "quay-lease",
    documentUri: "file:///leases/quay-lease.pdf",
    documentTitle: "Lease of the north quay",
    content: "The rent is **48,500 crowns** per month, payable in advance.",
    headings: ["Lease of the north quay", "3 Rent"],
    pageNumbers: [1, 2],
    index: 1,
  }),
  new SourceReference({
    chunkId: "chunk-2",
    documentId: "letter",
    documentUri: "file:///letters/letter-1929.pdf",
    content: "The deposit was returned in spring.",
    pageNumbers: [4],
    index: 2,
  }),
];

/** Tool call of an agent. */
export const SAMPLE_CALL: ToolCall = {
  id: "call-1",
  type: "function",
  function: { name: "search_library", arguments: '{"query":"rent of the north quay"}' },
};

/** Request of an agent that waits for a decision. */
export const SAMPLE_INTERRUPT: Interrupt = {
  id: "interrupt-1",
  message: "Send the letter to the harbour office?",
};

/** Image of a page: a sheet with lines, as data, so that the gallery needs no document. */
export function samplePage(page: number): string {
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [420, 594];
  const context = canvas.getContext("2d");
  if (!context) return "";
  context.fillStyle = "#ffffff";
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.fillStyle = "#1f1b16";
  context.font = "16px serif";
  for (let line = 1; line <= 24; line += 1) {
    context.fillText(`Page ${page}, line ${line} of the lease`, 40, 30 + line * 22);
  }
  return canvas.toDataURL("image/png");
}
