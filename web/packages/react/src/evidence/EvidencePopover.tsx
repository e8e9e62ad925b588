import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import { CitationMarker, type CitationMarkerProps } from "../citations/CitationMarker.js";
import { Evidence } from "./Evidence.js";

/** Properties of a marker with a popover. */
export interface EvidencePopoverProps extends CitationMarkerProps {
  /** Called when the popover opens or closes, for example to record a review. */
  onOpenChange?: (isOpen: boolean) => void;
}

/**
 * Citation marker that shows the evidence beside it. Enter, Space and a click open it; Escape, a click elsewhere and
 * leaving it with the keyboard close it. Escape returns the focus to the marker.
 */
export function EvidencePopover({ onOpenChange, ...props }: EvidencePopoverProps) {
  const [isOpen, setIsOpen] = useState(false);
  const wrapper = useRef<HTMLSpanElement>(null);
  const marker = useRef<HTMLButtonElement>(null);
  const id = useId();
  const { citation, verification, isLoading = false } = props;
  const change = (next: boolean) => {
    setIsOpen(next);
    onOpenChange?.(next);
  };
  const latest = useRef(change);
  latest.current = change;
  useEffect(() => {
    if (!isOpen) return;
    const closeOutside = (event: Event) => {
      const isInside = event.target instanceof Node && wrapper.current?.contains(event.target);
      if (!isInside) latest.current(false);
    };
    document.addEventListener("pointerdown", closeOutside);
    document.addEventListener("focusin", closeOutside);
    return () => {
      document.removeEventListener("pointerdown", closeOutside);
      document.removeEventListener("focusin", closeOutside);
    };
  }, [isOpen]);
  const closeOnEscape = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || !isOpen) return;
    event.stopPropagation();
    change(false);
    marker.current?.focus();
  };
  const number = props.number ?? citation?.citationNumber ?? 1;
  return (
    <span ref={wrapper} data-evidence-popover="">
      <CitationMarker
        {...props}
        ref={marker}
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        aria-haspopup="dialog"
        onKeyDown={closeOnEscape}
        onClick={(event) => {
          props.onClick?.(event);
          if (!event.defaultPrevented && citation) change(!isOpen);
        }}
      />
      {isOpen && citation && (
        <span
          id={id}
          role="dialog"
          aria-label={`Evidence of citation ${number}`}
          data-evidence-card=""
          onKeyDown={closeOnEscape}
        >
          <Evidence citation={citation} verification={verification} isLoading={isLoading} />
        </span>
      )}
    </span>
  );
}
