import { type KeyboardEvent, useId, useRef, useState } from "react";
import type { ComponentViewProps } from "./A2uiComponentView.js";
import { childrenOf, type DataScope, textOf } from "./resolve.js";
import { useSurface } from "./SurfaceContext.js";
import { type A2uiSurfaceState, isRecord } from "./types.js";

/** Panels of which one is shown. The arrow keys move between their tabs. */
export function A2uiTabs({ component, scope, renderChildren }: ComponentViewProps) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const [selected, setSelected] = useState(0);
  const tabs = (Array.isArray(component.tabs) ? component.tabs : []).filter(isRecord);
  const current = Math.min(selected, tabs.length - 1);
  const move = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    const next = (current + step + tabs.length) % tabs.length;
    setSelected(next);
    list.current?.querySelectorAll<HTMLElement>("[role=tab]")[next]?.focus();
  };
  return (
    <div className="pincite-a2ui-tabs">
      <div role="tablist" ref={list} onKeyDown={move}>
        {tabs.map((tab, index) => (
          <button
            key={index}
            type="button"
            role="tab"
            id={`${id}-${index}`}
            aria-selected={index === current}
            aria-controls={`${id}-panel`}
            tabIndex={index === current ? 0 : -1}
            onClick={() => setSelected(index)}
          >
            {textOf(tab.title, scope)}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${current}`}>
        {renderChildren(tabs[current]?.child)}
      </div>
    </div>
  );
}

/** Dialog that its trigger opens. The trigger is a component of its own; its words label the button. */
export function A2uiModal({ component, scope, renderChildren }: ComponentViewProps) {
  const { surface } = useSurface();
  const dialog = useRef<HTMLDialogElement>(null);
  const label = labelOf(surface, component.trigger, scope) || "Open";
  return (
    <>
      <button
        type="button"
        className="pincite-a2ui-button"
        onClick={() => dialog.current?.showModal()}
      >
        {label}
      </button>
      <dialog ref={dialog} className="pincite-dialog" aria-label={label}>
        {renderChildren(component.content)}
        <button type="button" onClick={() => dialog.current?.close()}>
          Close
        </button>
      </dialog>
    </>
  );
}

/** Returns the words of a component and of its children. */
function labelOf(surface: A2uiSurfaceState, id: unknown, scope: DataScope, depth = 0): string {
  const component = typeof id === "string" ? surface.components.get(id) : undefined;
  if (!component || depth > 8) return "";
  if (component.text !== undefined) return textOf(component.text, scope);
  const children = [component.child, ...childrenOf(component.children, scope).map(({ id }) => id)];
  return children
    .map((child) => labelOf(surface, child, scope, depth + 1))
    .filter((words) => words !== "")
    .join(" ");
}
