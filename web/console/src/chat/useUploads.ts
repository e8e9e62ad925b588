import { type DocumentInfo, RequestError } from "@pincite/client";
import { useCallback, useRef, useState } from "react";
import { uploadDocument } from "../api/uploadDocument.js";

/** File that is being attached to the next question. */
export interface Upload {
  key: number;
  filename: string;
  /** Part that was sent, from 0 to 1. At 1 the server reads the document. */
  progress: number;
  document: DocumentInfo | undefined;
  error: RequestError | undefined;
}

/** Attachments of the next question. */
export interface Uploads {
  uploads: readonly Upload[];
  add: (files: Iterable<File>) => void;
  remove: (key: number) => void;
  clear: () => void;
}

/** Uploads files as soon as they are added. */
export function useUploads(): Uploads {
  const [uploads, setUploads] = useState<readonly Upload[]>([]);
  const controllers = useRef(new Map<number, AbortController>());
  const nextKey = useRef(1);

  const change = useCallback((key: number, changed: Partial<Upload>) => {
    setUploads((list) =>
      list.map((upload) => (upload.key === key ? { ...upload, ...changed } : upload)),
    );
  }, []);
  const add = useCallback(
    (files: Iterable<File>) => {
      for (const file of files) {
        const key = nextKey.current++;
        const controller = new AbortController();
        controllers.current.set(key, controller);
        const upload: Upload = {
          key,
          filename: file.name,
          progress: 0,
          document: undefined,
          error: undefined,
        };
        setUploads((list) => [...list, upload]);
        uploadDocument(file, (progress) => change(key, { progress }), controller.signal).then(
          (document) => change(key, { document, progress: 1 }),
          (error: unknown) =>
            change(key, {
              error: error instanceof RequestError ? error : RequestError.offline(error),
            }),
        );
      }
    },
    [change],
  );
  const remove = useCallback((key: number) => {
    controllers.current.get(key)?.abort();
    setUploads((list) => list.filter((upload) => upload.key !== key));
  }, []);
  const clear = useCallback(() => setUploads([]), []);
  return { uploads, add, remove, clear };
}
