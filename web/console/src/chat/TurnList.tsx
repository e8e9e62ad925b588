import { useVirtualizer } from "@tanstack/react-virtual";
import {
  type ReactNode,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import styles from "./Conversation.module.css";
import type { Turn } from "./turns.js";

/** Number of turns up to which all are in the page, so that the browser can find text in them. */
const MAX_PLAIN_TURNS = 40;
/** Height of a turn before it is measured, in pixels. */
const ESTIMATED_HEIGHT = 260;

/** Turns of a conversation. Of a long one only those around the visible part are in the page. */
export function TurnList({
  turns,
  scroller,
  renderTurn,
}: {
  turns: readonly Turn[];
  /** Element that scrolls. */
  scroller: RefObject<HTMLElement | null>;
  renderTurn: (turn: Turn, position: number) => ReactNode;
}) {
  const isPrinting = useIsPrinting();
  if (turns.length <= MAX_PLAIN_TURNS || isPrinting) {
    return turns.map((turn, position) => (
      <div key={turn.id} className={styles.turn}>
        {renderTurn(turn, position)}
      </div>
    ));
  }
  return <LongTurnList turns={turns} scroller={scroller} renderTurn={renderTurn} />;
}

function LongTurnList({
  turns,
  scroller,
  renderTurn,
}: {
  turns: readonly Turn[];
  scroller: RefObject<HTMLElement | null>;
  renderTurn: (turn: Turn, position: number) => ReactNode;
}) {
  const rows = useVirtualizer({
    count: turns.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ESTIMATED_HEIGHT,
    getItemKey: (index) => turns[index]?.id ?? index,
    // The conversation opens at its end.
    initialOffset: () => turns.length * ESTIMATED_HEIGHT,
    overscan: 6,
  });
  const shown = rows.getVirtualItems();
  const first = shown[0];
  const last = shown.at(-1);
  return (
    <div className={styles.virtual}>
      <Space height={first?.start ?? 0} />
      {shown.map((row) => {
        const turn = turns[row.index];
        return (
          turn && (
            <div
              key={turn.id}
              ref={rows.measureElement}
              data-index={row.index}
              className={styles.turn}
            >
              {renderTurn(turn, row.index)}
            </div>
          )
        );
      })}
      <Space height={rows.getTotalSize() - (last?.end ?? 0)} />
    </div>
  );
}

/** Empty space in place of turns that are not in the page. */
function Space({ height }: { height: number }) {
  const element = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => element.current?.style.setProperty("height", `${height}px`), [height]);
  return <div ref={element} />;
}

/** Returns true while the page is printed, which shows everything. */
function useIsPrinting(): boolean {
  const [isPrinting, setIsPrinting] = useState(false);
  useEffect(() => {
    const begin = () => setIsPrinting(true);
    const end = () => setIsPrinting(false);
    window.addEventListener("beforeprint", begin);
    window.addEventListener("afterprint", end);
    return () => {
      window.removeEventListener("beforeprint", begin);
      window.removeEventListener("afterprint", end);
    };
  }, []);
  return isPrinting;
}
