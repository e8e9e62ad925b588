import type { SearchResult } from "@pincite/client";
import { type FormEvent, useState } from "react";
import { useLocation, useSearchParams } from "wouter";
import { client } from "../api/client.js";
import { useRequest } from "../api/useRequest.js";
import { setPendingQuestion } from "../chat/pendingQuestion.js";
import { Page } from "../shell/Page.js";
import { Button } from "../ui/Button.js";
import { EmptyState } from "../ui/EmptyState.js";
import { ErrorNotice } from "../ui/ErrorNotice.js";
import { formatNumber } from "../ui/format.js";
import { ResultItem } from "./ResultItem.js";
import styles from "./SearchPage.module.css";
import { searchQuery, useSearchResults } from "./useSearchResults.js";

/** Ways of searching, with their names. */
const MODES = { hybrid: "Words and meaning", text: "Words only", vector: "Meaning only" } as const;

/** Search in all documents. The question and the filters are part of the address. */
export default function SearchPage() {
  const [parameters, setParameters] = useSearchParams();
  const query = searchQuery(parameters);
  const set = (name: string, value: string) =>
    setParameters((before) => {
      if (value === "") before.delete(name);
      else before.set(name, value);
      return before;
    });
  const [, navigate] = useLocation();
  const results = useSearchResults(query);
  const { items, notes, error } = results;
  const askAboutThese = () => {
    setPendingQuestion({ text: query.q, attachments: documentsOf(items) });
    navigate("/");
  };
  return (
    <Page title="Search" subtitle={results.summary}>
      <div className={styles.page}>
        <SearchForm key={query.q} initial={query.q} onSearch={(q) => set("q", q)} />
        {query.q !== "" && (
          <SearchOptions
            mode={query.mode}
            label={query.label}
            isExplained={query.explain}
            onChange={set}
          />
        )}
        {error && <ErrorNotice error={error} onAction={results.reload} />}
        {notes.map((note) => (
          <p key={note} className={styles.note}>
            {note}
          </p>
        ))}
        {query.q === "" && (
          <EmptyState title="Find the passage in all your documents: by words, by “exact phrases”, and -without some words. Typing errors are forgiven." />
        )}
        {results.isEmpty && (
          <EmptyState title="No passage matches. Try fewer or other words, or remove a filter." />
        )}
        <ol className={styles.results} aria-label="Results" hidden={items.length === 0}>
          {items.map((result) => (
            <ResultItem key={result.chunkId} result={result} />
          ))}
        </ol>
        <div className={styles.end}>
          {results.loadMore && <Button onClick={results.loadMore}>Show more results</Button>}
          {items.length > 0 && <Button onClick={askAboutThese}>Ask about these</Button>}
        </div>
      </div>
    </Page>
  );
}

/** Largest number of documents that a question is about. */
const MAX_ASKED = 10;

/** Returns the documents of the first results. */
function documentsOf(items: readonly SearchResult[]): { id: string; filename: string }[] {
  const names = new Map(items.map((item) => [item.attachmentId, item.filename]));
  return [...names].slice(0, MAX_ASKED).map(([id, filename]) => ({ id, filename }));
}

function SearchForm({ initial, onSearch }: { initial: string; onSearch: (q: string) => void }) {
  const [text, setText] = useState(initial);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSearch(text.trim());
  };
  return (
    <search>
      <form className={styles.form} onSubmit={submit}>
        <input
          type="search"
          aria-label="Search documents"
          placeholder="Words, “a phrase”, -excluded"
          value={text}
          // biome-ignore lint/a11y/noAutofocus: searching is the purpose of the page.
          autoFocus
          onChange={(event) => setText(event.target.value)}
        />
        <Button kind="primary" type="submit">
          Find
        </Button>
      </form>
    </search>
  );
}

function SearchOptions({
  mode,
  label,
  isExplained,
  onChange,
}: {
  mode: string;
  label: string;
  isExplained: boolean;
  onChange: (name: string, value: string) => void;
}) {
  const { data } = useRequest(() => client.labels(), []);
  const labels = data?.items ?? [];
  return (
    <div className={styles.options}>
      <select
        aria-label="Way of searching"
        value={mode}
        onChange={(event) => onChange("mode", event.target.value)}
      >
        {Object.entries(MODES).map(([value, name]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </select>
      {labels.length > 0 && (
        <select
          aria-label="Label"
          value={label}
          onChange={(event) => onChange("label", event.target.value)}
        >
          <option value="">All labels</option>
          {labels.map((item) => (
            <option key={item.label} value={item.label}>
              {item.label} ({formatNumber(item.documents)})
            </option>
          ))}
        </select>
      )}
      <label className={styles.check}>
        <input
          type="checkbox"
          checked={isExplained}
          onChange={(event) => onChange("explain", event.target.checked ? "true" : "")}
        />
        Explain the ranking
      </label>
    </div>
  );
}
