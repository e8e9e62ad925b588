import { useState } from "react";
import { Page } from "../shell/Page.js";
import { EmptyState } from "../ui/EmptyState.js";
import { ErrorNotice } from "../ui/ErrorNotice.js";
import { formatNumber } from "../ui/format.js";
import { AddDocuments } from "./AddDocuments.js";
import { DocumentTable } from "./DocumentTable.js";
import { refreshDocuments, useDocuments } from "./documentStore.js";
import { type DocumentOrder, filterDocuments, labelsOf } from "./filterDocuments.js";
import styles from "./LibraryPage.module.css";
import { UploadProgress } from "./UploadProgress.js";
import { useFileDrop } from "./useFileDrop.js";
import { useLibraryUploads } from "./useLibraryUploads.js";

/** Documents that agents can cite and people can search. */
export default function LibraryPage() {
  const { documents, isLoaded, error } = useDocuments();
  const uploads = useLibraryUploads();
  const isDragging = useFileDrop((files) => void uploads.addFiles(files));
  const [text, setText] = useState("");
  const [label, setLabel] = useState("");
  const [order, setOrder] = useState<DocumentOrder>({ column: "added", isDescending: true });
  const shown = filterDocuments(documents, { text, label }, order);
  return (
    <Page
      title="Library"
      subtitle={isLoaded && documents.length > 0 ? countText(shown.length, documents.length) : null}
      actions={
        <AddDocuments
          onFiles={(files) => void uploads.addFiles(files)}
          onUrl={(url) => void uploads.addUrl(url)}
        />
      }
    >
      <div className={styles.page} data-dragging={isDragging}>
        {error && <ErrorNotice error={error} onAction={() => void refreshDocuments()} />}
        <UploadProgress uploads={uploads} />
        {isLoaded && !error && documents.length === 0 ? (
          <EmptyState title="The library holds the documents that answers are checked against. Add PDF, Word, HTML, Markdown or text files, or drop them here." />
        ) : (
          <>
            <Filters
              text={text}
              onText={setText}
              label={label}
              labels={labelsOf(documents)}
              onLabel={setLabel}
            />
            <DocumentTable documents={shown} order={order} onOrder={setOrder} />
            {isLoaded && documents.length > 0 && shown.length === 0 && (
              <p className={styles.note}>No document matches this filter.</p>
            )}
          </>
        )}
      </div>
    </Page>
  );
}

function countText(shown: number, all: number): string {
  const total = `${formatNumber(all)} ${all === 1 ? "document" : "documents"}`;
  return shown === all ? total : `${formatNumber(shown)} of ${total}`;
}

function Filters({
  text,
  onText,
  label,
  labels,
  onLabel,
}: {
  text: string;
  onText: (text: string) => void;
  label: string;
  labels: readonly string[];
  onLabel: (label: string) => void;
}) {
  return (
    <div className={styles.filters}>
      <input
        type="search"
        aria-label="Filter by name"
        placeholder="Filter by name"
        value={text}
        onChange={(event) => onText(event.target.value)}
      />
      {labels.length > 0 && (
        <select
          aria-label="Filter by label"
          value={label}
          onChange={(event) => onLabel(event.target.value)}
        >
          <option value="">All labels</option>
          {labels.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      )}
    </div>
  );
}
