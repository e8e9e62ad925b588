import { type ReactNode, useEffect, useId, useRef } from "react";

/** Question that the person answers before an action is executed. */
export function ConfirmDialog({
  question,
  confirmLabel,
  isDestructive,
  children,
  onConfirm,
  onCancel,
}: {
  question: string;
  confirmLabel: string;
  isDestructive: boolean;
  children?: ReactNode;
  onConfirm: () => void;
  onCancel: () => void;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => {
    const element = dialog.current;
    if (element && !element.open) element.showModal?.();
  }, []);
  return (
    <dialog
      ref={dialog}
      className="pincite-dialog"
      aria-labelledby={heading}
      onCancel={(event) => {
        event.preventDefault();
        onCancel();
      }}
    >
      <h2 id={heading} dir="auto">
        {question}
      </h2>
      {children}
      <div className="pincite-buttons">
        {/* The safe answer comes first, so it has the focus. */}
        <button type="button" onClick={onCancel}>
          Cancel
        </button>
        <button
          type="button"
          className={isDestructive ? "pincite-destructive" : "pincite-primary"}
          onClick={onConfirm}
        >
          {confirmLabel}
        </button>
      </div>
    </dialog>
  );
}
