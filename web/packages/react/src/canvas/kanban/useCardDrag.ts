import { type PointerEvent, useRef, useState } from "react";
import type { CardPlace } from "./moveCard.js";

/** Distance after which a press becomes a drag, in pixels. */
const DRAG_DISTANCE = 6;

/** Card that is dragged, and the place where it would be dropped. */
export interface CardDrag {
  cardId: string;
  target: CardPlace | undefined;
}

/**
 * Drags cards with mouse, pen or finger. Columns are elements with `data-column`, cards with `data-card`; both hold their
 * position or id.
 */
export function useCardDrag(onDrop: (cardId: string, target: CardPlace) => void) {
  const [drag, setDrag] = useState<CardDrag>();
  const pressed = useRef<{ cardId: string; x: number; y: number } | undefined>(undefined);
  const start = (cardId: string) => (event: PointerEvent<HTMLElement>) => {
    if (event.button !== 0 || (event.target as Element).closest("select, button, a")) return;
    pressed.current = { cardId, x: event.clientX, y: event.clientY };
    event.currentTarget.setPointerCapture(event.pointerId);
  };
  const move = (event: PointerEvent<HTMLElement>) => {
    const press = pressed.current;
    if (!press) return;
    const distance = Math.hypot(event.clientX - press.x, event.clientY - press.y);
    if (!drag && distance < DRAG_DISTANCE) return;
    event.preventDefault();
    const target = placeAt(event.clientX, event.clientY, press.cardId);
    setDrag({ cardId: press.cardId, target });
  };
  const end = () => {
    pressed.current = undefined;
    if (drag?.target) onDrop(drag.cardId, drag.target);
    setDrag(undefined);
  };
  const cancel = () => {
    pressed.current = undefined;
    setDrag(undefined);
  };
  return {
    drag,
    handlers: (cardId: string) => ({
      onPointerDown: start(cardId),
      onPointerMove: move,
      onPointerUp: end,
      onPointerCancel: cancel,
    }),
  };
}

/** Returns the place under a point of the window. */
function placeAt(x: number, y: number, cardId: string): CardPlace | undefined {
  const column = document
    .elementsFromPoint(x, y)
    .map((element) => element.closest<HTMLElement>("[data-column]"))
    .find((element) => element !== null);
  if (!column) return undefined;
  const cards = [...column.querySelectorAll<HTMLElement>("[data-card]")].filter(
    (card) => card.dataset.card !== cardId,
  );
  const before = cards.filter((card) => {
    const box = card.getBoundingClientRect();
    return box.top + box.height / 2 < y;
  });
  return { column: Number(column.dataset.column), position: before.length };
}
