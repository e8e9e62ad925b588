import { RequestError, type SearchResult } from "@pincite/client";
import { useState } from "react";
import { client } from "../api/client.js";
import { useRequest } from "../api/useRequest.js";
import { formatNumber } from "../ui/format.js";

const PAGE_SIZE = 20;

/** Search as it is written in the address. */
export interface SearchQuery {
  q: string;
  mode: string;
  label: string;
  document: string;
  explain: boolean;
}

/** Results of a search with their state. */
export interface SearchResults {
  items: readonly SearchResult[];
  notes: readonly string[];
  error: RequestError | undefined;
  /** One line about the number of results; null before the first response. */
  summary: string | null;
  /** True if the search found nothing. */
  isEmpty: boolean;
  /** Loads the next page; absent on the last page. */
  loadMore: (() => void) | undefined;
  reload: () => void;
}

/** Results that were loaded after the first page of a search. */
interface MoreResults {
  key: string;
  items: readonly SearchResult[];
  next: string | null;
  error: RequestError | undefined;
}

/** Reads a search from the parameters of the address. */
export function searchQuery(parameters: URLSearchParams): SearchQuery {
  return {
    q: parameters.get("q") ?? "",
    mode: parameters.get("mode") ?? "hybrid",
    label: parameters.get("label") ?? "",
    document: parameters.get("document") ?? "",
    explain: parameters.get("explain") === "true",
  };
}

/** Sends a search whenever the query changes. */
export function useSearchResults(query: SearchQuery): SearchResults {
  const key = JSON.stringify(query);
  const send = (after: string | undefined) =>
    client.search({
      q: query.q,
      mode: query.mode,
      label: query.label || undefined,
      document: query.document || undefined,
      explain: query.explain || undefined,
      limit: PAGE_SIZE,
      after,
    });
  const { data, error, isLoading, reload } = useRequest(
    async () => (query.q === "" ? undefined : { key, page: await send(undefined) }),
    [key],
  );
  const [more, setMore] = useState<MoreResults | undefined>();
  // Results of an earlier query are not those of this one.
  const first = data?.key === key ? data.page : undefined;
  const rest = more?.key === key ? more : undefined;
  const items = [...(first?.items ?? []), ...(rest?.items ?? [])];
  const next = rest ? rest.next : (first?.next ?? null);
  const loadMore = async (after: string) => {
    try {
      const page = await send(after);
      setMore({
        key,
        items: [...(rest?.items ?? []), ...page.items],
        next: page.next,
        error: undefined,
      });
    } catch (cause) {
      const failure = cause instanceof RequestError ? cause : RequestError.offline(cause);
      setMore({ key, items: rest?.items ?? [], next, error: failure });
    }
  };
  return {
    items,
    notes: first?.notes ?? [],
    error: query.q === "" ? undefined : (error ?? rest?.error),
    summary: first && items.length > 0 ? summaryText(items.length, next, first.tookMs) : null,
    isEmpty: query.q !== "" && !isLoading && first?.items.length === 0,
    loadMore: next === null ? undefined : () => void loadMore(next),
    reload,
  };
}

function summaryText(count: number, next: string | null, tookMs: number): string {
  const passages = `${formatNumber(count)} ${count === 1 ? "passage" : "passages"}`;
  const number = next === null ? passages : `First ${passages}`;
  return `${number} in ${formatNumber(tookMs)} ms`;
}
