import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import { ComponentFrame } from "../ComponentFrame.js";
import { seriesColor } from "../colors.js";
import type { ActionHandler, KanbanCard, KanbanColumn, KanbanData } from "../types.js";
import { acceptsCard, type CardPlace, findCard, moveCard } from "./moveCard.js";
import { useCardDrag } from "./useCardDrag.js";

/** Board of an agent. Cards move by mouse, by touch, and with the keyboard; every move is an action. */
export function DynamicKanban({ data, onAction }: { data: KanbanData; onAction?: ActionHandler }) {
  const title = data.title ?? "Board";
  return (
    <ComponentFrame
      component="kanban"
      title={title}
      description={data.description}
      getRows={() => [
        ["Column", "Card", "Description", "Assignee", "Priority"],
        ...data.columns.flatMap((column) =>
          column.cards.map((card) => [
            column.title,
            card.title,
            card.description ?? "",
            card.assignee?.name ?? "",
            card.priority ?? "",
          ]),
        ),
      ]}
    >
      <Board title={title} data={data} onAction={onAction} />
    </ComponentFrame>
  );
}

function Board({
  title,
  data,
  onAction,
}: {
  title: string;
  data: KanbanData;
  onAction: ActionHandler | undefined;
}) {
  const board = useRef<HTMLDivElement>(null);
  const help = useId();
  const [columns, setColumns] = useState<readonly KanbanColumn[]>(data.columns);
  const [lifted, setLifted] = useState<{ cardId: string; from: CardPlace }>();
  const [message, setMessage] = useState("");
  const { onMoveActionId } = data;
  const canMove = onMoveActionId !== undefined && onAction !== undefined;
  useEffect(() => setColumns(data.columns), [data.columns]);

  const focusCard = (cardId: string) =>
    requestAnimationFrame(() =>
      board.current?.querySelector<HTMLElement>(`[data-card="${CSS.escape(cardId)}"]`)?.focus(),
    );
  /** Reports a move; a refused one is taken back. */
  const report = async (cardId: string, from: CardPlace, to: CardPlace) => {
    const [source, target] = [columns[from.column], columns[to.column]];
    if (!source || !target || !onMoveActionId || !onAction) return;
    try {
      await onAction({
        actionId: onMoveActionId,
        params: {
          cardId,
          fromColumnId: source.id,
          toColumnId: target.id,
          position: to.position,
        },
        isConfirmed: false,
      });
    } catch (error) {
      setColumns(data.columns);
      setMessage(`The move was not accepted: ${(error as Error).message}`);
    }
  };
  /** Moves a card on the board. Returns true if it moved. */
  const place = (cardId: string, to: CardPlace): boolean => {
    const from = findCard(columns, cardId);
    const moved = moveCard(columns, cardId, to);
    const column = columns[to.column];
    if (!from || !column) return false;
    if (!moved) {
      if (!acceptsCard(columns, from.column, to.column)) {
        setMessage(`${column.title} is full: at most ${column.limit} cards.`);
      }
      return false;
    }
    setColumns(moved);
    setMessage(`${column.title}, position ${to.position + 1}.`);
    return true;
  };
  const drop = (cardId: string, to: CardPlace) => {
    const from = findCard(columns, cardId);
    if (from && place(cardId, to)) void report(cardId, from, to);
  };
  const { drag, handlers } = useCardDrag(drop);

  const onKeyDown = (card: KanbanCard) => (event: KeyboardEvent<HTMLElement>) => {
    if (!canMove || event.target !== event.currentTarget) return;
    const at = findCard(columns, card.id);
    if (!at) return;
    const isLifted = lifted?.cardId === card.id;
    if (event.key === " " || event.key === "Enter") {
      event.preventDefault();
      if (!isLifted) {
        setLifted({ cardId: card.id, from: at });
        setMessage(`${card.title} picked up. Arrow keys move it, Space drops it, Escape cancels.`);
        return;
      }
      setLifted(undefined);
      setMessage(`${card.title} dropped in ${columns[at.column]?.title}.`);
      const hasMoved = at.column !== lifted.from.column || at.position !== lifted.from.position;
      if (hasMoved) void report(card.id, lifted.from, at);
      return;
    }
    if (!isLifted) return;
    const target = keyTarget(event.key, at, columns);
    if (event.key === "Escape") {
      event.stopPropagation();
      setLifted(undefined);
      place(card.id, lifted.from);
      setMessage(`${card.title} is back where it was.`);
      focusCard(card.id);
    } else if (target) {
      event.preventDefault();
      if (place(card.id, target)) focusCard(card.id);
    }
  };
  return (
    <>
      {canMove && (
        <p id={help} className="pincite-hidden">
          Press Space to pick up the card, arrow keys to move it, Space to drop it, Escape to
          cancel.
        </p>
      )}
      <div ref={board} className="pincite-board" data-dragging={drag ? "" : undefined}>
        {columns.map((column, index) => (
          <BoardColumn
            key={column.id}
            column={column}
            index={index}
            isTarget={drag?.target?.column === index}
          >
            {column.cards.map((card) => (
              <BoardCard
                key={card.id}
                card={card}
                columns={columns}
                column={index}
                canMove={canMove}
                helpId={canMove ? help : undefined}
                isLifted={lifted?.cardId === card.id || drag?.cardId === card.id}
                pointerHandlers={canMove ? handlers(card.id) : {}}
                onKeyDown={onKeyDown(card)}
                onMoveTo={(to) =>
                  drop(card.id, { column: to, position: columns[to]?.cards.length ?? 0 })
                }
              />
            ))}
          </BoardColumn>
        ))}
      </div>
      <p className="pincite-status" role="status" aria-label={`State of ${title}`}>
        {message}
      </p>
    </>
  );
}

/** Returns the place to which an arrow key moves a card. */
function keyTarget(
  key: string,
  at: CardPlace,
  columns: readonly KanbanColumn[],
): CardPlace | undefined {
  const steps: Record<string, [column: number, position: number]> = {
    ArrowLeft: [-1, 0],
    ArrowRight: [1, 0],
    ArrowUp: [0, -1],
    ArrowDown: [0, 1],
  };
  const step = steps[key];
  if (!step) return undefined;
  const column = at.column + step[0];
  const length = columns[column]?.cards.length;
  if (length === undefined) return undefined;
  const last = column === at.column ? length - 1 : length;
  const position = Math.min(Math.max(at.position + step[1], 0), last);
  return { column, position };
}

function BoardColumn({
  column,
  index,
  isTarget,
  children,
}: {
  column: KanbanColumn;
  index: number;
  isTarget: boolean;
  children: React.ReactNode;
}) {
  const heading = useId();
  const count = `${column.cards.length}${column.limit === undefined ? "" : ` of ${column.limit}`}`;
  return (
    <section
      className="pincite-column"
      aria-labelledby={heading}
      data-column={index}
      data-target={isTarget ? "" : undefined}
      style={column.color ? { borderTopColor: seriesColor(column.color, index) } : undefined}
    >
      <h3 id={heading}>
        <bdi>{column.title}</bdi> <span>{count}</span>
      </h3>
      <ul>{children}</ul>
    </section>
  );
}

function BoardCard({
  card,
  columns,
  column,
  canMove,
  helpId,
  isLifted,
  pointerHandlers,
  onKeyDown,
  onMoveTo,
}: {
  card: KanbanCard;
  columns: readonly KanbanColumn[];
  column: number;
  canMove: boolean;
  helpId: string | undefined;
  isLifted: boolean;
  pointerHandlers: Partial<ReturnType<ReturnType<typeof useCardDrag>["handlers"]>>;
  onKeyDown: (event: KeyboardEvent<HTMLElement>) => void;
  onMoveTo: (column: number) => void;
}) {
  return (
    <li>
      <div
        className="pincite-card"
        role="group"
        data-card={card.id}
        data-lifted={isLifted ? "" : undefined}
        aria-label={card.title}
        aria-describedby={helpId}
        tabIndex={canMove ? 0 : undefined}
        onKeyDown={onKeyDown}
        {...pointerHandlers}
      >
        <strong dir="auto">{card.title}</strong>
        {card.description && <p dir="auto">{card.description}</p>}
        {(card.labels || card.priority || card.assignee) && (
          <p className="pincite-tags">
            {card.priority && <span data-priority={card.priority}>{card.priority} priority</span>}
            {card.labels?.map((label) => {
              const name = typeof label === "string" ? label : label.name;
              return <span key={name}>{name}</span>;
            })}
            {card.assignee && <span>{card.assignee.name}</span>}
          </p>
        )}
        {canMove && (
          <select
            aria-label={`Move ${card.title} to`}
            value={column}
            onChange={(event) => onMoveTo(Number(event.target.value))}
          >
            {columns.map((entry, index) => (
              <option key={entry.id} value={index} disabled={!acceptsCard(columns, column, index)}>
                {entry.title}
              </option>
            ))}
          </select>
        )}
      </div>
    </li>
  );
}
