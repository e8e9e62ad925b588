import { type DocumentChange, type DocumentInfo, RequestError } from "@pincite/client";
import { useEffect, useSyncExternalStore } from "react";
import { client } from "../api/client.js";

/** Documents of the library, the newest first. */
interface DocumentListState {
  documents: readonly DocumentInfo[];
  isLoaded: boolean;
  error: RequestError | undefined;
}

const PAGE_SIZE = 100;
/** Time after which a broken stream of changes is opened again, in milliseconds. */
const RECONNECT_MS = 2000;

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

/** Returns the documents and follows their changes while the component is shown. */
export function useDocuments(): DocumentListState {
  useEffect(() => {
    const controller = new AbortController();
    void follow(controller.signal);
    return () => controller.abort();
  }, []);
  return useSyncExternalStore(subscribe, () => state);
}

/** Loads all documents again. */
export async function refreshDocuments(signal?: AbortSignal): Promise<void> {
  try {
    const documents: DocumentInfo[] = [];
    let after: string | undefined;
    do {
      const page = await client.documents({ limit: PAGE_SIZE, after }, signal);
      documents.push(...page.items);
      after = page.next ?? undefined;
    } while (after !== undefined);
    setState({ documents, isLoaded: true, error: undefined });
  } catch (error) {
    if (signal?.aborted) return;
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

/** Applies changes of the server until the signal ends it. */
async function follow(signal: AbortSignal): Promise<void> {
  await refreshDocuments(signal);
  while (!signal.aborted) {
    try {
      for await (const { data } of client.documentEvents(signal)) applyChange(data);
    } catch {
      // The offline bar tells that the server cannot be reached; the stream is opened again below.
    }
    if (signal.aborted) return;
    await new Promise((resolve) => setTimeout(resolve, RECONNECT_MS));
  }
}

function applyChange(data: string): void {
  const change = readEvent(data);
  if (change === undefined) return;
  const isKnown = state.documents.some((document) => isOf(document, change));
  if (!isKnown && change.state !== "removed") {
    void refreshDocuments();
    return;
  }
  setState({
    documents: state.documents
      .filter((document) => change.state !== "removed" || !isOf(document, change))
      .map((document) => (isOf(document, change) ? withChange(document, change) : document)),
  });
}

function readEvent(data: string): DocumentChange | undefined {
  try {
    return JSON.parse(data) as DocumentChange;
  } catch {
    return undefined;
  }
}

function isOf(document: DocumentInfo, change: DocumentChange): boolean {
  return change.id === undefined
    ? document.documentId === change.documentId
    : document.id === change.id;
}

function withChange(document: DocumentInfo, change: DocumentChange): DocumentInfo {
  const { id: _, ...members } = change;
  return { ...document, ...members };
}
