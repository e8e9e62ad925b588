import {
  type Citation,
  citationPlace,
  displayState,
  STATE_SIGNS,
  type Verification,
} from "@pincite/client";
import type { ComponentPropsWithoutRef } from "react";
import { stateAttribute } from "../citations/CitationMarker.js";
import { safeHref } from "../markdown/safeHref.js";
import { safeImageSrc } from "./safeImageSrc.js";

/** Properties of the evidence of a citation. */
export interface EvidenceProps extends Omit<ComponentPropsWithoutRef<"span">, "children"> {
  citation: Citation;
  verification?: Verification | undefined;
  isLoading?: boolean;
}

/**
 * Evidence of a citation: its state, the quote with its anchor, the source with the place, the image of the passage,
 * and a link to the evidence page. It consists of inline elements, so it can be shown inside of a paragraph.
 */
export function Evidence({ citation, verification, isLoading = false, ...props }: EvidenceProps) {
  const state = isLoading ? "checking" : displayState(verification);
  const image = safeImageSrc(verification?.evidence?.src);
  const page = safeHref(verification?.evidenceUrl ?? "");
  const quote = citation.fullPhrase ?? citation.anchorText ?? "";
  const place = citationPlace({ citation, verification });
  return (
    <span data-evidence="" data-state={stateAttribute(state)} {...props}>
      <span data-evidence-state="">
        <span aria-hidden="true">{STATE_SIGNS[state]}</span> {capitalised(state)}
      </span>
      {quote !== "" && (
        <q data-evidence-quote="" dir="auto">
          <QuoteText quote={quote} anchor={citation.anchorText} />
        </q>
      )}
      {place !== "" && <cite data-evidence-place="">{place}</cite>}
      {image && (
        <img
          data-evidence-image=""
          src={image}
          alt={`Passage in ${verification?.label ?? "the source"}`}
          width={verification?.evidence?.dimensions?.width}
          height={verification?.evidence?.dimensions?.height}
        />
      )}
      {page && (
        <a data-evidence-link="" href={page} target="_blank" rel="noopener">
          Open page
        </a>
      )}
    </span>
  );
}

/** Quote with its anchor marked. */
function QuoteText({ quote, anchor }: { quote: string; anchor: string | undefined }) {
  const start = anchor ? quote.indexOf(anchor) : -1;
  if (!anchor || start < 0 || anchor.length === quote.length) return quote;
  return (
    <>
      {quote.slice(0, start)}
      <mark>{anchor}</mark>
      {quote.slice(start + anchor.length)}
    </>
  );
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
