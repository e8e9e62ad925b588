import { type ReactNode, useEffect, useId, useRef, useState } from "react";
import type { ComponentLayout } from "./types.js";

/** Places a component: in the conversation, in a dialog, or beside the conversation. */
export function PlacedComponent({
  layout,
  name,
  isNew,
  children,
}: {
  layout: ComponentLayout | undefined;
  name: string;
  isNew: boolean;
  children: ReactNode;
}) {
  if (layout?.position === "modal" || layout?.position === "sidebar") {
    return (
      <FloatingComponent position={layout.position} name={name} isNew={isNew}>
        {children}
      </FloatingComponent>
    );
  }
  return (
    <div className="pincite-canvas" data-width={layout?.width ?? "full"}>
      {children}
    </div>
  );
}

/** Dialog or sidebar with a button that opens it. It opens by itself only when the component arrives. */
function FloatingComponent({
  position,
  name,
  isNew,
  children,
}: {
  position: "modal" | "sidebar";
  name: string;
  isNew: boolean;
  children: ReactNode;
}) {
  const [isOpen, setOpen] = useState(isNew);
  const dialog = useRef<HTMLDialogElement>(null);
  const opener = useRef<HTMLButtonElement>(null);
  const heading = useId();
  useEffect(() => {
    const element = dialog.current;
    if (!element || element.open === isOpen) return;
    if (!isOpen) element.close();
    else if (position === "modal") element.showModal();
    else element.show();
  }, [isOpen, position]);
  const close = () => {
    setOpen(false);
    opener.current?.focus();
  };
  return (
    <div className="pincite-canvas">
      <button ref={opener} type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {isOpen ? "Close" : "Open"} {name}
      </button>
      <dialog
        ref={dialog}
        className={position === "modal" ? "pincite-modal" : "pincite-sidebar"}
        aria-labelledby={heading}
        onCancel={(event) => {
          event.preventDefault();
          close();
        }}
        onKeyDown={(event) => {
          if (event.key !== "Escape" || position === "modal") return;
          event.stopPropagation();
          close();
        }}
      >
        <div className="pincite-dialog-head">
          <h2 id={heading} className="pincite-hidden">
            {name}
          </h2>
          <button type="button" aria-label={`Close the panel of ${name}`} onClick={close}>
            <span aria-hidden="true">×</span>
          </button>
        </div>
        {isOpen && children}
      </dialog>
    </div>
  );
}
