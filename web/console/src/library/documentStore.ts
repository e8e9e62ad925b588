import { type DocumentInfo, RequestError } from "@pincite/client";
import { useEffect, useSyncExternalStore } from "react";
import { client } from "../api/client.js";

/** Documents of the library, the newest first. */
interface DocumentListState {
  documents: readonly DocumentInfo[];
  isLoaded: boolean;
  error: RequestError | undefined;
}

const PAGE_SIZE = 100;
/** Interval at which documents that are being read are loaded again, in milliseconds. */
const REFRESH_MS = 1000;
/** States in which the server works on a document. */
const WORKING_STATES: ReadonlySet<DocumentInfo["state"]> = new Set([
  "queued",
  "reading",
  "indexing",
]);

let state: DocumentListState = { documents: [], isLoaded: false, error: undefined };
const listeners = new Set<() => void>();

function setState(change: Partial<DocumentListState>): void {
  state = { ...state, ...change };
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Returns the documents, and loads them again while the server works on one of them. */
export function useDocuments(): DocumentListState {
  const current = useSyncExternalStore(subscribe, () => state);
  const isWorking = current.documents.some((document) => WORKING_STATES.has(document.state));
  useEffect(() => {
    void refreshDocuments();
  }, []);
  useEffect(() => {
    if (!isWorking) return;
    const timer = setInterval(() => void refreshDocuments(), REFRESH_MS);
    return () => clearInterval(timer);
  }, [isWorking]);
  return current;
}

/** Loads all documents again. */
export async function refreshDocuments(): Promise<void> {
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

/** Removes a document from the list at once. */
export function removeDocument(id: string): void {
  setState({ documents: state.documents.filter((document) => document.id !== id) });
}

/** Puts a document in the list in place of its earlier form. */
export function replaceDocument(document: DocumentInfo): void {
  setState({
    documents: state.documents.map((known) => (known.id === document.id ? document : known)),
  });
}
