import type { DisplayCitation } from "@pincite/client";
import type { ComponentPropsWithoutRef, ReactNode } from "react";
import { Evidence } from "./Evidence.js";

/** Properties of a panel with evidence. */
export interface EvidencePanelProps
  extends Omit<ComponentPropsWithoutRef<"aside">, "children" | "onSelect"> {
  citations: readonly DisplayCitation[];
  /** Key of the citation to show; nothing is rendered without one. */
  selectedKey: string | undefined;
  onSelect: (key: string) => void;
  onClose: () => void;
  /** More about the citation, such as a `PageViewer`. */
  renderDetails?: (citation: DisplayCitation) => ReactNode;
}

/** Evidence of the selected citation of an answer, with buttons for the previous and the next one. Escape closes it. */
export function EvidencePanel({
  citations,
  selectedKey,
  onSelect,
  onClose,
  renderDetails,
  ...props
}: EvidencePanelProps) {
  const position = citations.findIndex(({ key }) => key === selectedKey);
  const current = citations[position];
  if (current === undefined) return null;
  const step = (label: string, target: DisplayCitation | undefined) => (
    <button type="button" disabled={!target} onClick={() => target && onSelect(target.key)}>
      {label}
    </button>
  );
  return (
    <aside
      aria-label="Evidence"
      data-evidence-panel=""
      onKeyDown={(event) => {
        if (event.key === "Escape") onClose();
      }}
      {...props}
    >
      <p data-evidence-position="">
        Citation {position + 1} of {citations.length}
      </p>
      <div role="group" aria-label="Citations">
        {step("Previous", citations[position - 1])}
        {step("Next", citations[position + 1])}
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
      <Evidence citation={current.citation} verification={current.verification} />
      {renderDetails?.(current)}
    </aside>
  );
}
