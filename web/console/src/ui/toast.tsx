import { useSyncExternalStore } from "react";
import { Button } from "./Button.js";
import styles from "./toast.module.css";

/** Short message at the bottom of the page, with at most one action. */
interface ToastMessage {
  key: number;
  text: string;
  action: { label: string; onSelect: () => void } | undefined;
}

/** Time for which a message is shown, in milliseconds. */
export const TOAST_MS = 6000;

let current: ToastMessage | undefined;
let nextKey = 1;
const listeners = new Set<() => void>();

function set(message: ToastMessage | undefined): void {
  current = message;
  for (const listener of listeners) listener();
}

/** Shows a message until its time is over or another one is shown. */
export function showToast(text: string, action?: ToastMessage["action"]): void {
  const key = nextKey++;
  set({ key, text, action });
  setTimeout(() => {
    if (current?.key === key) set(undefined);
  }, TOAST_MS);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Place of the message. It is always in the page, so that screen readers announce what appears in it. */
export function ToastRegion() {
  const message = useSyncExternalStore(subscribe, () => current);
  return (
    <div className={styles.region} role="status" data-empty={message === undefined}>
      {message && (
        <>
          <span>{message.text}</span>
          {message.action && (
            <Button
              kind="quiet"
              onClick={() => {
                message.action?.onSelect();
                set(undefined);
              }}
            >
              {message.action.label}
            </Button>
          )}
        </>
      )}
    </div>
  );
}
