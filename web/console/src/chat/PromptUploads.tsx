import { X } from "lucide-react";
import { formatNumber } from "../ui/format.js";
import styles from "./Prompt.module.css";
import type { Upload } from "./useUploads.js";

/** Attachments of the next question with their progress. */
export function PromptUploads({
  uploads,
  onRemove,
}: {
  uploads: readonly Upload[];
  onRemove: (key: number) => void;
}) {
  if (uploads.length === 0) return null;
  return (
    <ul className={styles.uploads} aria-label="Attachments">
      {uploads.map((upload) => (
        <li key={upload.key} data-error={upload.error !== undefined}>
          <span className={styles.filename}>{upload.filename}</span>
          <span className={styles.progress} role="status">
            {describeUpload(upload)}
          </span>
          <button
            type="button"
            aria-label={`Remove ${upload.filename}`}
            onClick={() => onRemove(upload.key)}
          >
            <X size={14} aria-hidden="true" />
          </button>
        </li>
      ))}
    </ul>
  );
}

function describeUpload({ document, error, progress }: Upload): string {
  if (error) return `${error.message} ${error.hint}`;
  if (document) {
    const pages = document.pageCount ?? 1;
    return pages === 1 ? "1 page" : `${formatNumber(pages)} pages`;
  }
  return progress < 1 ? `${Math.round(progress * 100)} %` : "Reading…";
}
