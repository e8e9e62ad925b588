import type { Message } from "../agui/types.js";

/** Citation on a message, as chat frontends show it. All members are present; absent values are `undefined`. */
export interface BridgedCitation {
  id: string;
  /** Number to show, from 1. */
  index: number;
  title?: string | undefined;
  url?: string | undefined;
  snippet?: string | undefined;
  sourceType?: string | undefined;
  iconUrl?: string | undefined;
  publishedAt?: string | number | Date | undefined;
  extra?: Record<string, unknown> | undefined;
}

/** Options of the bridge. */
export interface BridgeOptions {
  /** Remove the citations of a message whose list in the state is empty; otherwise they stay. */
  emptyListClears?: boolean;
}

/**
 * Copies citations from `state.citations`, which has a list for each message id, to the messages (specification 002).
 * A list replaces all citations of its message. Messages without a list, and all messages if there is no table of
 * citations, are the same objects.
 */
export function bridgeCitationsState<T extends { id: string }>(
  thread: { state?: unknown },
  messages: readonly T[],
  options: BridgeOptions = {},
): (T & { citations?: BridgedCitation[] })[] {
  return bridgeMessages(thread.state, messages, options, normaliseCitations);
}

/** Bridges the messages of a conversation, whose state is never changed in place, so unchanged lists stay the same. */
export function bridgeConversation(
  state: unknown,
  messages: Message[],
  options: BridgeOptions,
): Message[] {
  return bridgeMessages(state, messages, options, knownCitations);
}

type BridgedMessage<T> = T & { citations?: BridgedCitation[] };

function bridgeMessages<T extends { id: string }>(
  state: unknown,
  messages: readonly T[],
  options: BridgeOptions,
  normalise: (raw: readonly unknown[]) => BridgedCitation[],
): BridgedMessage<T>[] {
  const table = (state as { citations?: unknown } | null | undefined)?.citations;
  if (typeof table !== "object" || table === null) return messages as BridgedMessage<T>[];
  const lists = table as Record<string, unknown>;
  return messages.map((message: BridgedMessage<T>) => {
    const raw = lists[message.id];
    if (!Array.isArray(raw)) return message;
    if (raw.length > 0) {
      const citations = normalise(raw);
      return citations === message.citations ? message : { ...message, citations };
    }
    if (!options.emptyListClears || message.citations === undefined) return message;
    const { citations: _, ...rest } = message;
    return rest as BridgedMessage<T>;
  });
}

const KNOWN_LISTS = new WeakMap<readonly unknown[], BridgedCitation[]>();

function knownCitations(raw: readonly unknown[]): BridgedCitation[] {
  const known = KNOWN_LISTS.get(raw) ?? normaliseCitations(raw);
  KNOWN_LISTS.set(raw, known);
  return known;
}

function normaliseCitations(raw: readonly unknown[]): BridgedCitation[] {
  return raw.map((entry, position) => normaliseCitation(entry, position + 1));
}

function normaliseCitation(entry: unknown, position: number): BridgedCitation {
  if (typeof entry === "string") return { id: `c${position}`, index: position, url: entry };
  const members = (entry ?? {}) as Record<string, unknown>;
  const firstText = (...names: string[]) =>
    names.map((name) => members[name]).find((value) => typeof value === "string") as
      | string
      | undefined;
  const { index, publishedAt, extra } = members;
  const isTime =
    typeof publishedAt === "string" ||
    typeof publishedAt === "number" ||
    publishedAt instanceof Date;
  return {
    id: firstText("id", "refId") ?? `c${position}`,
    index: typeof index === "number" ? index : position,
    title: firstText("title", "name"),
    url: firstText("url", "href", "source"),
    snippet: firstText("snippet", "content", "excerpt"),
    sourceType: firstText("sourceType"),
    iconUrl: firstText("iconUrl"),
    publishedAt: isTime ? publishedAt : undefined,
    extra:
      typeof extra === "object" && extra !== null ? (extra as Record<string, unknown>) : undefined,
  };
}
