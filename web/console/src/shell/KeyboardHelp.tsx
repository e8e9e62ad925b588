import { useEffect, useRef } from "react";
import { Button } from "../ui/Button.js";
import styles from "./KeyboardHelp.module.css";

const SHORTCUTS: readonly (readonly [keys: string, effect: string])[] = [
  ["Enter", "Send the question"],
  ["Shift + Enter", "New line in the question"],
  ["j", "Next citation"],
  ["k", "Previous citation"],
  ["Escape", "Close the evidence, a menu or this sheet"],
  ["/", "Go to the question"],
  ["?", "Show this sheet"],
];

/** Sheet with all keys, opened with `?`. */
export function KeyboardHelp() {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const open = (event: KeyboardEvent) => {
      const isTyping =
        event.target instanceof Element && event.target.closest("input, textarea, select, dialog");
      if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === "?") dialog.current?.showModal();
      if (event.key === "/") {
        event.preventDefault();
        document.querySelector<HTMLElement>("textarea[aria-label=Message]")?.focus();
      }
    };
    document.addEventListener("keydown", open);
    return () => document.removeEventListener("keydown", open);
  }, []);
  return (
    <dialog ref={dialog} className={styles.sheet} aria-labelledby="keyboard-title">
      <h2 id="keyboard-title">Keyboard</h2>
      <dl>
        {SHORTCUTS.map(([keys, effect]) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{effect}</dd>
          </div>
        ))}
      </dl>
      <form method="dialog">
        <Button type="submit">Close</Button>
      </form>
    </dialog>
  );
}
