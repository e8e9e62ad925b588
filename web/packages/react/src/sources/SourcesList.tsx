import type { DisplayCitation } from "@pincite/client";
import type { ComponentPropsWithoutRef } from "react";
import { CitationMarker } from "../citations/CitationMarker.js";

/** Properties of a list of sources. */
export interface SourcesListProps
  extends Omit<ComponentPropsWithoutRef<"ol">, "children" | "onSelect"> {
  citations: readonly DisplayCitation[];
  /** Called with the key of a citation whose marker is pressed. */
  onSelect?: (key: string) => void;
}

/** Sources of an answer, each once, in the order of their first citation, with the markers that cite them. */
export function SourcesList({ citations, onSelect, ...props }: SourcesListProps) {
  const sources = new Map<string, DisplayCitation[]>();
  for (const citation of citations) {
    const name = sourceName(citation);
    sources.set(name, [...(sources.get(name) ?? []), citation]);
  }
  if (sources.size === 0) return null;
  return (
    <ol data-sources-list="" aria-label="Sources" {...props}>
      {[...sources].map(([name, cited]) => (
        <li key={name}>
          <cite dir="auto">{name}</cite>{" "}
          {cited.map(({ key, number, citation, verification }) => (
            <CitationMarker
              key={key}
              number={number}
              citation={citation}
              verification={verification}
              onClick={() => onSelect?.(key)}
            />
          ))}
        </li>
      ))}
    </ol>
  );
}

function sourceName({ citation, verification }: DisplayCitation): string {
  return verification?.label ?? citation.attachmentId ?? citation.url ?? "Unknown source";
}
