import type { ThreadInfo } from "@pincite/client";
import { Plus } from "lucide-react";
import { useEffect, useState } from "react";
import { useLocation, useRoute } from "wouter";
import { Button } from "../ui/Button.js";
import { groupByDay } from "./groupByDay.js";
import { ThreadEntry } from "./ThreadEntry.js";
import styles from "./ThreadList.module.css";
import { loadMoreThreads, refreshThreads, useThreads } from "./threadStore.js";
import { threadTitle } from "./threadTitle.js";

/** Number of threads from which on they can be searched. */
const MIN_SEARCHED = 6;

/** Navigation with all threads, grouped by the day of their last change. */
export function ThreadList() {
  const { threads, isLoaded, error, next } = useThreads();
  const [query, setQuery] = useState("");
  const [showsArchive, setShowsArchive] = useState(false);
  const [, navigate] = useLocation();
  const [, params] = useRoute("/threads/:id/*?");
  useEffect(() => {
    void refreshThreads();
  }, []);
  const hasArchive = threads.some((thread) => thread.archived);
  const shown = threads.filter(
    (thread) => thread.archived === showsArchive && matchesQuery(thread, query),
  );
  return (
    <nav className={styles.nav} aria-label="Threads">
      <Button className={styles.create ?? ""} onClick={() => navigate("/")}>
        <Plus size={18} aria-hidden="true" />
        New thread
      </Button>
      {(threads.length >= MIN_SEARCHED || query !== "") && (
        <input
          className={styles.search}
          type="search"
          aria-label="Find threads"
          placeholder="Find threads"
          value={query}
          onChange={(event) => setQuery(event.target.value)}
        />
      )}
      <div className={styles.scroll}>
        {error && <p className={styles.note}>{error.message}</p>}
        {isLoaded && !error && shown.length === 0 && (
          <p className={styles.note}>{emptyText(query, showsArchive)}</p>
        )}
        {groupByDay(shown, new Date()).map((group) => (
          <div key={group.label}>
            <h2 className={styles.day}>{group.label}</h2>
            <ul className={styles.list}>
              {group.threads.map((thread) => (
                <ThreadEntry key={thread.id} thread={thread} isCurrent={params?.id === thread.id} />
              ))}
            </ul>
          </div>
        ))}
        {next !== null && (
          <Button kind="quiet" onClick={() => void loadMoreThreads()}>
            Show more
          </Button>
        )}
        {(hasArchive || showsArchive) && (
          <Button
            kind="quiet"
            aria-pressed={showsArchive}
            onClick={() => setShowsArchive(!showsArchive)}
          >
            {showsArchive ? "Leave archive" : "Show archive"}
          </Button>
        )}
      </div>
    </nav>
  );
}

function matchesQuery(thread: ThreadInfo, query: string): boolean {
  return threadTitle(thread).toLocaleLowerCase().includes(query.trim().toLocaleLowerCase());
}

function emptyText(query: string, showsArchive: boolean): string {
  if (query !== "") return "No thread has these words in its title.";
  return showsArchive ? "The archive is empty." : "Your questions will be listed here.";
}
