import { Plus } from "lucide-react";
import { useEffect } from "react";
import { Link, useLocation, useRoute } from "wouter";
import { Button } from "../ui/Button.js";
import { groupByDay } from "./groupByDay.js";
import styles from "./ThreadList.module.css";
import { refreshThreads, useThreads } from "./threadStore.js";
import { threadTitle } from "./threadTitle.js";

/** Navigation with all threads, grouped by the day of their last change. */
export function ThreadList() {
  const { threads, isLoaded, error } = useThreads();
  const [, navigate] = useLocation();
  const [, params] = useRoute("/threads/:id/*?");
  useEffect(() => {
    void refreshThreads();
  }, []);
  const shown = threads.filter((thread) => !thread.archived);
  return (
    <nav className={styles.nav} aria-label="Threads">
      <Button className={styles.create ?? ""} onClick={() => navigate("/")}>
        <Plus size={18} aria-hidden="true" />
        New thread
      </Button>
      <div className={styles.scroll}>
        {error && <p className={styles.note}>{error.message}</p>}
        {isLoaded && !error && shown.length === 0 && (
          <p className={styles.note}>Your questions will be listed here.</p>
        )}
        {groupByDay(shown, new Date()).map((group) => (
          <section key={group.label} aria-label={group.label}>
            <h2 className={styles.day}>{group.label}</h2>
            <ul className={styles.list}>
              {group.threads.map((thread) => (
                <li key={thread.id}>
                  <Link
                    href={`/threads/${encodeURIComponent(thread.id)}`}
                    aria-current={params?.id === thread.id ? "page" : undefined}
                  >
                    {threadTitle(thread)}
                  </Link>
                </li>
              ))}
            </ul>
          </section>
        ))}
      </div>
    </nav>
  );
}
