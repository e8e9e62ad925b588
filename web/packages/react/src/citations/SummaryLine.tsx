import type { DisplayState, SummaryPart } from "@pincite/client";
import type { ComponentPropsWithoutRef } from "react";
import { stateAttribute } from "./CitationMarker.js";

/** Properties of a summary line. */
export interface SummaryLineProps extends Omit<ComponentPropsWithoutRef<"p">, "children"> {
  summary: readonly SummaryPart[];
  /** State whose citations are shown; all if absent. */
  filter?: DisplayState | undefined;
  /** Makes every part a button that filters by its state, and again to show all. */
  onFilter?: (state: DisplayState | undefined) => void;
}

/** Line such as "3 of 4 quotes verified · 1 not found". It is announced when it changes. */
export function SummaryLine({ summary, filter, onFilter, ...props }: SummaryLineProps) {
  const total = summary.reduce((sum, part) => sum + part.count, 0);
  const verified = summary.find((part) => part.state === "verified")?.count ?? 0;
  if (total === 0) return null;
  const others = summary.filter((part) => part.state !== "verified");
  const part = (state: DisplayState, text: string, isEmpty = false) =>
    onFilter ? (
      <button
        type="button"
        data-state={stateAttribute(state)}
        aria-pressed={filter === state}
        disabled={isEmpty}
        onClick={() => onFilter(filter === state ? undefined : state)}
      >
        {text}
      </button>
    ) : (
      <span data-state={stateAttribute(state)}>{text}</span>
    );
  return (
    <p data-citation-summary="" aria-live="polite" {...props}>
      {part(
        "verified",
        `${verified} of ${total} ${total === 1 ? "quote" : "quotes"} verified`,
        verified === 0,
      )}
      {others.map(({ state, count }) => (
        <span key={state}>
          {" · "}
          {part(state, `${count} ${state}`)}
        </span>
      ))}
    </p>
  );
}
