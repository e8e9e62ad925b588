import { RequestError } from "@pincite/client";
import { useCallback, useState } from "react";
import { client } from "../api/client.js";
import { uploadDocument } from "../api/uploadDocument.js";
import { refreshDocuments } from "./documentStore.js";

/** File that could not be added. */
export interface FailedUpload {
  name: string;
  error: RequestError;
}

/** Progress of adding documents. */
export interface LibraryUploads {
  /** Number of files that were sent and of all files. */
  done: number;
  total: number;
  /** Part of the file that is being sent, from 0 to 1. */
  part: number;
  failures: readonly FailedUpload[];
  addFiles: (files: readonly File[]) => Promise<void>;
  addUrl: (url: string) => Promise<void>;
  clearFailures: () => void;
}

/** Adds documents one after the other; a file that is refused does not stop the rest. */
export function useLibraryUploads(): LibraryUploads {
  const [progress, setProgress] = useState({ done: 0, total: 0, part: 0 });
  const [failures, setFailures] = useState<readonly FailedUpload[]>([]);

  const attempt = useCallback(async (name: string, add: () => Promise<unknown>) => {
    try {
      await add();
    } catch (cause) {
      const error = cause instanceof RequestError ? cause : RequestError.offline(cause);
      setFailures((list) => [...list, { name, error }]);
    }
  }, []);
  const addFiles = useCallback(
    async (files: readonly File[]) => {
      setProgress((before) => ({ ...before, total: before.total + files.length }));
      for (const file of files) {
        const report = (part: number) => setProgress((before) => ({ ...before, part }));
        const { signal } = new AbortController();
        await attempt(file.name, () => uploadDocument(file, report, signal, { wait: false }));
        setProgress((before) => ({ ...before, done: before.done + 1, part: 0 }));
      }
      setProgress((before) =>
        before.done === before.total ? { done: 0, total: 0, part: 0 } : before,
      );
      await refreshDocuments();
    },
    [attempt],
  );
  const addUrl = useCallback(
    async (url: string) => {
      await attempt(url, () => client.addDocumentByUrl(url));
      await refreshDocuments();
    },
    [attempt],
  );
  const clearFailures = useCallback(() => setFailures([]), []);
  return { ...progress, failures, addFiles, addUrl, clearFailures };
}
