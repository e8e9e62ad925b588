/** Members of a source reference. */
export interface SourceReferenceFields {
  /** Id of the document; not shown. */
  documentId: string;
  /** Address or path of the document. */
  documentUri: string;
  /** Text of the passage, in Markdown. */
  content: string;
  /** Id of the passage, for `GET /chunks/{id}`. */
  chunkId: string;
  documentTitle?: string | null | undefined;
  /** Headings above the passage, the outermost first. */
  headings?: readonly string[] | undefined;
  /** Pages of the passage, from 1. */
  pageNumbers?: readonly number[] | undefined;
  /** Number to show, from 1. */
  index?: number | null | undefined;
}

/** Passage that supports an answer (specification 004). */
export class SourceReference {
  readonly documentId: string;
  readonly documentUri: string;
  readonly content: string;
  readonly chunkId: string;
  readonly documentTitle: string | undefined;
  readonly headings: readonly string[];
  readonly pageNumbers: readonly number[];
  readonly index: number | undefined;

  constructor(fields: SourceReferenceFields) {
    this.documentId = fields.documentId;
    this.documentUri = fields.documentUri;
    this.content = fields.content;
    this.chunkId = fields.chunkId;
    this.documentTitle = fields.documentTitle ?? undefined;
    this.headings = fields.headings ?? [];
    this.pageNumbers = fields.pageNumbers ?? [];
    this.index = fields.index ?? undefined;
  }

  /**
   * Reads a citation of a retrieval agent. The ids, the address and the content must be strings, otherwise the result
   * is `undefined`; other invalid members are left out.
   */
  static fromJson(value: unknown): SourceReference | undefined {
    if (typeof value !== "object" || value === null) return undefined;
    const members = value as Record<string, unknown>;
    const { chunk_id, content, document_id, document_uri, document_title, index } = members;
    if (typeof chunk_id !== "string" || typeof content !== "string") return undefined;
    if (typeof document_id !== "string" || typeof document_uri !== "string") return undefined;
    return new SourceReference({
      chunkId: chunk_id,
      content,
      documentId: document_id,
      documentUri: document_uri,
      documentTitle: typeof document_title === "string" ? document_title : undefined,
      headings: list(members.headings).filter((heading) => typeof heading === "string"),
      pageNumbers: list(members.page_numbers).filter(isInteger),
      index: isInteger(index) ? index : undefined,
    });
  }

  /** Title of the document, or the last part of its address. */
  get displayTitle(): string {
    return this.documentTitle || lastSegment(this.documentUri) || "Unknown Document";
  }

  /** Pages such as `p.5`, `p.1-3` or `p.1, 5, 10`; `undefined` without pages. */
  get formattedPageNumbers(): string | undefined {
    const pages = this.pageNumbers.toSorted((a, b) => a - b);
    const [first, last] = [pages[0], pages.at(-1)];
    if (first === undefined) return undefined;
    if (pages.length === 1) return `p.${first}`;
    const isRange = pages.every((page, position) => page === first + position);
    return isRange ? `p.${first}-${last}` : `p.${pages.join(", ")}`;
  }
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function isInteger(value: unknown): value is number {
  return Number.isInteger(value);
}

/** Returns the last part of the path of an address, decoded, without query and fragment. */
function lastSegment(uri: string): string | undefined {
  const address = uri.split(/[?#]/, 1)[0] ?? "";
  const path = address.replace(/^.*?:\/\/[^/]*/, "");
  const segment = path.split("/").findLast((part) => part !== "");
  return segment?.replace(/(?:%[0-9a-f]{2})+/gi, decodeEscapes);
}

/** Decodes percent escapes. Bytes that are not UTF-8 become replacement characters. */
function decodeEscapes(escapes: string): string {
  const bytes = escapes.split("%").slice(1);
  return new TextDecoder().decode(Uint8Array.from(bytes, (byte) => Number.parseInt(byte, 16)));
}
