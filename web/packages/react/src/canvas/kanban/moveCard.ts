import type { KanbanCard, KanbanColumn } from "../types.js";

/** Place of a card on a board: column and position, counted from 0. */
export interface CardPlace {
  column: number;
  position: number;
}

/** Returns the place of a card. */
export function findCard(columns: readonly KanbanColumn[], cardId: string): CardPlace | undefined {
  for (const [column, { cards }] of columns.entries()) {
    const position = cards.findIndex((card) => card.id === cardId);
    if (position >= 0) return { column, position };
  }
  return undefined;
}

/** Returns true if a column accepts one more card. A move within a column is always possible. */
export function acceptsCard(
  columns: readonly KanbanColumn[],
  from: number,
  column: number,
): boolean {
  const target = columns[column];
  if (!target) return false;
  return from === column || target.limit === undefined || target.cards.length < target.limit;
}

/**
 * Moves a card to a place; positions count without the card. Returns `undefined` if it is not there, stays where it is,
 * or the column is full.
 */
export function moveCard(
  columns: readonly KanbanColumn[],
  cardId: string,
  to: CardPlace,
): KanbanColumn[] | undefined {
  const from = findCard(columns, cardId);
  const card = from && columns[from.column]?.cards[from.position];
  if (!from || !card || !acceptsCard(columns, from.column, to.column)) return undefined;
  if (from.column === to.column && from.position === to.position) return undefined;
  return columns.map((column, index) => {
    if (index !== from.column && index !== to.column) return column;
    let cards: KanbanCard[] = column.cards;
    if (index === from.column) cards = cards.filter(({ id }) => id !== cardId);
    if (index === to.column) cards = cards.toSpliced(to.position, 0, card);
    return { ...column, cards };
  });
}
