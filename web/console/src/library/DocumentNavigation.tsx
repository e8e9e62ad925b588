import { type FormEvent, useState } from "react";
import { client } from "../api/client.js";
import { useRequest } from "../api/useRequest.js";
import { highlightParts } from "../search/highlightParts.js";
import { useSearchResults } from "../search/useSearchResults.js";
import { formatNumber } from "../ui/format.js";
import styles from "./DocumentNavigation.module.css";
import { Thumbnails } from "./Thumbnails.js";

/** Ways through a document: search in it, its outline, and small images of its pages. */
export function DocumentNavigation({
  id,
  page,
  pageCount,
  onOpen,
}: {
  id: string;
  page: number;
  pageCount: number;
  onOpen: (page: number, chunkId?: string) => void;
}) {
  const outline = useRequest(() => client.outline(id), [id]);
  const headings = outline.data?.items ?? [];
  return (
    <div className={styles.navigation}>
      <FindInDocument id={id} onOpen={onOpen} />
      {headings.length > 0 && (
        <nav aria-label="Outline">
          <ul className={styles.outline}>
            {headings.map((heading, index) => (
              <li key={index} data-depth={Math.min(heading.depth, 3)}>
                <button
                  type="button"
                  disabled={heading.page === null}
                  aria-current={heading.page === page ? "location" : undefined}
                  onClick={() => heading.page !== null && onOpen(heading.page)}
                >
                  {heading.title}
                </button>
              </li>
            ))}
          </ul>
        </nav>
      )}
      <Thumbnails id={id} page={page} pageCount={pageCount} onOpen={onOpen} />
    </div>
  );
}

/** Search in one document. Results open their page with the passage marked. */
function FindInDocument({
  id,
  onOpen,
}: {
  id: string;
  onOpen: (page: number, chunkId?: string) => void;
}) {
  const [text, setText] = useState("");
  const [q, setQ] = useState("");
  const results = useSearchResults({ q, mode: "text", label: "", document: id, explain: false });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setQ(text.trim());
  };
  return (
    <div>
      <form onSubmit={submit}>
        <input
          className={styles.find}
          type="search"
          aria-label="Find in this document"
          placeholder="Find in this document"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </form>
      <p className={styles.status} role="status">
        {results.isEmpty && "No passage matches."}
        {results.error?.message}
      </p>
      <ul className={styles.found} hidden={results.items.length === 0}>
        {results.items.map(({ chunkId, pages, snippet }) => (
          <li key={chunkId}>
            <button type="button" onClick={() => onOpen(pages[0] ?? 1, chunkId)}>
              <span className={styles.page}>Page {formatNumber(pages[0] ?? 1)}</span>
              {highlightParts(snippet.text, snippet.highlights).map((part) =>
                part.isHighlighted ? (
                  <mark key={part.start}>{part.text}</mark>
                ) : (
                  <span key={part.start}>{part.text}</span>
                ),
              )}
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
