import { formatCell, parseDate } from "../format.js";
import type { CellKind, CellValue } from "../types.js";

/** Order of the rows by one column. */
export interface SortOrder {
  column: number;
  direction: "ascending" | "descending";
}

/** Amount of money, percentage or other number with a sign and at most a few characters around it. */
const NUMBER_TEXT = /^(-?)[^\d\s-]{0,4}\s?(-?[\d,' ]*\.?\d+(?:e-?\d+)?)\s?[^\d]{0,4}$/i;

/** Returns the number in a text such as "$10,000" or "12 %". */
export function numericValue(value: unknown): number | undefined {
  if (typeof value === "number") return value;
  if (typeof value !== "string") return undefined;
  const [, sign, digits] = NUMBER_TEXT.exec(value.trim()) ?? [];
  if (digits === undefined) return undefined;
  const number = Number(digits.replace(/[,' ]/g, ""));
  if (!Number.isFinite(number)) return undefined;
  return sign === "-" ? -number : number;
}

/**
 * Rows of a table with what sorting and filtering need, computed once. Both work on positions, so the rows stay as they
 * are.
 */
export class TableModel {
  private readonly rows: readonly (readonly CellValue[])[];
  private readonly kinds: readonly CellKind[];
  /** Rank of each row by column, in ascending order. */
  private readonly ranks = new Map<number, Int32Array>();
  private texts: string[] | undefined;

  constructor(rows: readonly (readonly CellValue[])[], kinds: readonly CellKind[] = []) {
    this.rows = rows;
    this.kinds = kinds;
  }

  /** Returns the positions of the rows that contain all words of the filter, in order. */
  select(filter: string, order: SortOrder | undefined): Int32Array {
    const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
    let selected = Int32Array.from(this.rows, (_, position) => position);
    if (words.length > 0) {
      const texts = this.rowTexts();
      selected = selected.filter((row) => words.every((word) => texts[row]?.includes(word)));
    }
    if (order) {
      const ranks = this.rankRows(order.column);
      const sign = order.direction === "ascending" ? 1 : -1;
      selected.sort((a, b) => sign * ((ranks[a] ?? 0) - (ranks[b] ?? 0)) || a - b);
    }
    return selected;
  }

  /** Returns each row as one text in lower case: as it is stored and as it is shown. */
  private rowTexts(): string[] {
    this.texts ??= this.rows.map((row) =>
      row
        .map((cell, column) => {
          const stored = String(cell);
          const shown = typeof cell === "string" ? stored : formatCell(cell, this.kinds[column]);
          return stored === shown ? stored : `${stored}\n${shown}`;
        })
        .join("\n")
        .toLowerCase(),
    );
    return this.texts;
  }

  /** Returns the rank of each row by a column; equal cells have the same rank. */
  private rankRows(column: number): Int32Array {
    const known = this.ranks.get(column);
    if (known) return known;
    const cells = this.rows.map((row) => row[column]);
    const ranks = rankNumbers(cells, this.kinds[column]) ?? rankTexts(cells);
    this.ranks.set(column, ranks);
    return ranks;
  }
}

/** Ranks numbers, dates and booleans; `undefined` if a cell is none of them. Empty cells come first. */
function rankNumbers(
  cells: readonly (CellValue | undefined)[],
  kind: CellKind | undefined,
): Int32Array | undefined {
  const numbers = new Float64Array(cells.length);
  for (const [row, cell] of cells.entries()) {
    const number = orderValue(cell, kind);
    if (number === undefined) return undefined;
    numbers[row] = number;
  }
  const order = Int32Array.from(cells, (_, row) => row);
  order.sort((a, b) => (numbers[a] ?? 0) - (numbers[b] ?? 0));
  const ranks = new Int32Array(cells.length);
  let rank = 0;
  for (const [position, row] of order.entries()) {
    const before = order[position - 1];
    if (before !== undefined && numbers[before] !== numbers[row]) rank += 1;
    ranks[row] = rank;
  }
  return ranks;
}

function orderValue(cell: CellValue | undefined, kind: CellKind | undefined): number | undefined {
  if (typeof cell === "number") return Number.isFinite(cell) ? cell : -Number.MAX_VALUE;
  if (typeof cell === "boolean") return Number(cell);
  if (cell === undefined || cell === "") return -Number.MAX_VALUE;
  if (kind === "text") return undefined;
  return parseDate(cell)?.getTime() ?? numericValue(cell);
}

/** Ranks texts in the order of the person's language; numbers in texts count by value. */
function rankTexts(cells: readonly (CellValue | undefined)[]): Int32Array {
  const compare = new Intl.Collator(undefined, { numeric: true }).compare;
  const texts = cells.map((cell) => (cell === undefined ? "" : String(cell)));
  const distinct = [...new Set(texts)].sort(compare);
  const rankOf = new Map(distinct.map((text, rank) => [text, rank]));
  return Int32Array.from(texts, (text) => rankOf.get(text) ?? 0);
}
