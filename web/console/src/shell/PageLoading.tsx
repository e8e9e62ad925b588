import { useEffect, useState } from "react";
import styles from "./PageLoading.module.css";

/** Delay after which loading is shown. Shorter waits are not noticed. */
const DELAY_MS = 300;

/** Placeholder of a page that is being loaded. */
export function PageLoading() {
  const [isVisible, setIsVisible] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setIsVisible(true), DELAY_MS);
    return () => clearTimeout(timer);
  }, []);
  return isVisible ? (
    <p className={styles.loading} role="status">
      Loading…
    </p>
  ) : null;
}
