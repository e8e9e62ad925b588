import { type Citation, displayState, STATE_SIGNS, type Verification } from "@pincite/client";
import type { ComponentProps } from "react";

/** Form of a citation marker. */
export type CitationVariant =
  | "chip"
  | "superscript"
  | "brackets"
  | "underline"
  | "footnote"
  | "linter"
  | "text"
  | "badge";

/** Properties of a citation marker. */
export interface CitationMarkerProps extends Omit<ComponentProps<"button">, "children"> {
  /** Number to show; that of the citation if absent. */
  number?: number;
  citation?: Citation | undefined;
  verification?: Verification | undefined;
  /** True while the result is not known. It is then shown as checking. */
  isLoading?: boolean;
  variant?: CitationVariant;
}

/**
 * Marker of a citation: a button with number, sign and state. It has no style; `data-state` and `data-variant` select
 * one. The sign has a fixed width in every state if the style gives `[data-sign]` one.
 */
export function CitationMarker({
  citation,
  number = citation?.citationNumber ?? 1,
  verification,
  isLoading = false,
  variant = "chip",
  ...props
}: CitationMarkerProps) {
  const state = isLoading ? "checking" : displayState(verification);
  const words = citation?.anchorText ?? citation?.fullPhrase ?? "";
  const showsWords = variant === "underline" || variant === "text" || variant === "linter";
  return (
    <button
      type="button"
      aria-label={`Citation ${number}, ${state}`}
      data-state={state.replace(" ", "-")}
      data-variant={variant}
      {...props}
    >
      <span aria-hidden="true">
        {variant === "brackets" ? `[${number}]` : showsWords ? words : number}
      </span>
      <span aria-hidden="true" data-sign="">
        {STATE_SIGNS[state]}
      </span>
    </button>
  );
}

/** Name of `CitationMarker` in specification 000. */
export const CitationComponent = CitationMarker;
