import {
  type Citation,
  type DisplayState,
  displayState,
  STATE_SIGNS,
  type Verification,
} from "@pincite/client";
import { type ComponentPropsWithoutRef, forwardRef } from "react";

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

/** All forms of a citation marker. */
export const CITATION_VARIANTS: readonly CitationVariant[] = [
  "chip",
  "superscript",
  "brackets",
  "underline",
  "footnote",
  "linter",
  "text",
  "badge",
];

/** Properties of a citation marker. */
export interface CitationMarkerProps extends Omit<ComponentPropsWithoutRef<"button">, "children"> {
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
export const CitationMarker = forwardRef<HTMLButtonElement, CitationMarkerProps>(
  function CitationMarker(
    {
      citation,
      number = citation?.citationNumber ?? 1,
      verification,
      isLoading = false,
      variant = "chip",
      ...props
    },
    ref,
  ) {
    const state = isLoading ? "checking" : displayState(verification);
    return (
      <button
        ref={ref}
        type="button"
        aria-label={`Citation ${number}, ${state}`}
        data-citation-marker=""
        data-state={stateAttribute(state)}
        data-variant={variant}
        {...props}
      >
        <span aria-hidden="true">{markerText(variant, number, citation, verification)}</span>
        <span aria-hidden="true" data-sign="">
          {STATE_SIGNS[state]}
        </span>
      </button>
    );
  },
);

/** Name of `CitationMarker` in specification 000. */
export const CitationComponent = CitationMarker;

/** Returns the value of `data-state` for a state. */
export function stateAttribute(state: DisplayState): string {
  return state.replace(" ", "-");
}

function markerText(
  variant: CitationVariant,
  number: number,
  citation: Citation | undefined,
  verification: Verification | undefined,
): string {
  switch (variant) {
    case "brackets":
      return `[${number}]`;
    case "underline":
    case "linter":
    case "text":
      return citation?.anchorText ?? citation?.fullPhrase ?? String(number);
    case "badge":
      return verification?.label ?? citation?.attachmentId ?? citation?.url ?? `Source ${number}`;
    default:
      return String(number);
  }
}
