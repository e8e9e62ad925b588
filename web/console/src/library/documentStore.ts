import { type DocumentInfo, RequestError } from "@pincite/client";
import { useEffect, useSyncExternalStore } from "react";
import { client } from "../api/client.js";
import { isBeingDeleted } from "../api/undoableDelete.js";

/** Documents of the library, the newest first. */
interface DocumentListState {
  documents: readonly DocumentInfo[];
  isLoaded: boolean;
  error: RequestError | undefined;
}

const PAGE_SIZE = 100;
/** Interval at which documents that are being read are loaded again, in milliseconds. */
const REFRESH_MS = 1000;
/** Ratio of the pause between two loads to the time that a load takes. */
const REFRESH_SHARE = 4;
/** States in which the server works on a document. */
const WORKING_STATES: ReadonlySet<DocumentInfo["state"]> = new Set([
  "queued",
  "reading",
  "indexing",
]);

/** Returns true while the server works on a document. */
export function isBeingRead(document: DocumentInfo): boolean {
  return WORKING_STATES.has(document.state);
}

let state: DocumentListState = { documents: [], isLoaded: false, error: undefined };
const listeners = new Set<() => void>();

function setState(change: Partial<DocumentListState>): void {
  state = { ...state, ...change };
  state.documents = state.documents.filter((document) => !isBeingDeleted(document));
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Returns the documents, and loads them again while the server works on one of them. */
export function useDocuments(): DocumentListState {
  const current = useSyncExternalStore(subscribe, () => state);
  const isWorking = current.documents.some(isBeingRead);
  useEffect(() => {
    void refreshDocuments();
  }, []);
  useEffect(() => {
    if (!isWorking) return;
    let timer: ReturnType<typeof setTimeout>;
    const schedule = (pause: number) => {
      timer = setTimeout(async () => {
        const start = performance.now();
        await refreshDocuments();
        // A large library is loaded less often.
        schedule(Math.max(REFRESH_MS, (performance.now() - start) * REFRESH_SHARE));
      }, pause);
    };
    schedule(REFRESH_MS);
    return () => clearTimeout(timer);
  }, [isWorking]);
  return current;
}

/** Loads all documents again. */
export async function refreshDocuments(): Promise<void> {
  // Documents that were just deleted disappear at once.
  setState({});
  try {
    const documents: DocumentInfo[] = [];
    let after: string | undefined;
    do {
      const page = await client.documents({ limit: PAGE_SIZE, after });
      documents.push(...page.items);
      after = page.next ?? undefined;
    } while (after !== undefined);
    setState({ documents, isLoaded: true, error: undefined });
  } catch (error) {
    setState({
      isLoaded: true,
      error: error instanceof RequestError ? error : RequestError.offline(error),
    });
  }
}

/** Puts a document in the list in place of its earlier form. */
export function replaceDocument(document: DocumentInfo): void {
  setState({
    documents: state.documents.map((known) => (known.id === document.id ? document : known)),
  });
}
