import { useSyncExternalStore } from "react";
import styles from "./OfflineBar.module.css";

function subscribe(listener: () => void): () => void {
  window.addEventListener("online", listener);
  window.addEventListener("offline", listener);
  return () => {
    window.removeEventListener("online", listener);
    window.removeEventListener("offline", listener);
  };
}

/** Quiet bar while the browser has no network. What is on the page stays readable. */
export function OfflineBar() {
  const isOnline = useSyncExternalStore(subscribe, () => navigator.onLine);
  return (
    <div className={styles.bar} role="status" data-visible={!isOnline}>
      {!isOnline && "You are offline. Questions are sent when the connection is back."}
    </div>
  );
}
