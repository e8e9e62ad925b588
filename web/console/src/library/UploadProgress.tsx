import { Button } from "../ui/Button.js";
import { formatNumber } from "../ui/format.js";
import styles from "./UploadProgress.module.css";
import type { LibraryUploads } from "./useLibraryUploads.js";

/** Progress of the files that are being sent, and the files that were refused with the reason. */
export function UploadProgress({ uploads }: { uploads: LibraryUploads }) {
  const { done, total, part, failures } = uploads;
  return (
    <>
      {total > 0 && (
        <label className={styles.progress}>
          <span>
            Sending {formatNumber(Math.min(done + 1, total))} of {formatNumber(total)}
          </span>
          <progress max={total} value={done + part} />
        </label>
      )}
      {failures.length > 0 && (
        <div className={styles.failures} role="alert">
          <p>
            {failures.length === 1
              ? "One document could not be added."
              : `${formatNumber(failures.length)} documents could not be added.`}
          </p>
          <ul className={styles.list}>
            {failures.map(({ name, error }) => (
              <li key={name}>
                <bdi>{name}</bdi>: {error.message} {error.hint}
              </li>
            ))}
          </ul>
          <Button onClick={uploads.clearFailures}>Dismiss</Button>
        </div>
      )}
    </>
  );
}
