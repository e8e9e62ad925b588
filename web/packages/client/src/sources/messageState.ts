import type { Message } from "../agui/types.js";
import type { ThreadTurn } from "../generated/api.js";
import { extractNew } from "./extractNew.js";
import { SourceReference } from "./sourceReference.js";

/** Sources of the answer to a user message (specification 004). */
export interface MessageState {
  userMessageId: string;
  /** Sources of all runs of the turn; each passage once. */
  sourceReferences: readonly SourceReference[];
  /** Last run of the turn. */
  runId?: string;
}

/** Message states by the id of their user message. */
export type MessageStates = Readonly<Record<string, MessageState>>;

/** Adds the sources that a run of a turn found. Of a passage that occurs twice the first one counts. */
export function addRunSources(
  states: MessageStates,
  run: { userMessageId: string; runId?: string | undefined; before: unknown; after: unknown },
): MessageStates {
  const { userMessageId, runId } = run;
  const known = Object.hasOwn(states, userMessageId)
    ? (states[userMessageId]?.sourceReferences ?? [])
    : [];
  const found = extractNew(run.before, run.after, { includeGrownEntry: true });
  const byChunk = new Map<string, SourceReference>();
  for (const source of [...known, ...found]) {
    if (!byChunk.has(source.chunkId)) byChunk.set(source.chunkId, source);
  }
  const state: MessageState = {
    userMessageId,
    sourceReferences: [...byChunk.values()],
    ...(runId === undefined ? {} : { runId }),
  };
  return { ...states, [userMessageId]: state };
}

/** Returns the message states of a stored thread, from `PinciteClient.turns`. */
export function readTurns(turns: readonly ThreadTurn[]): MessageStates {
  return Object.fromEntries(
    turns.map(({ userMessageId, runId, sourceReferences }) => [
      userMessageId,
      {
        userMessageId,
        runId,
        sourceReferences: sourceReferences.map((source) => new SourceReference(source)),
      },
    ]),
  );
}

/**
 * Returns the sources to show with each message: those of a turn belong to its last text that is not the user's. Turns
 * without sources, and turns without text, have no entry.
 */
export function buildSourceReferencesMap(
  messages: readonly Message[],
  messageStates: MessageStates,
): ReadonlyMap<string, readonly SourceReference[]> {
  const shown = new Map<string, readonly SourceReference[]>();
  let sources: readonly SourceReference[] = [];
  let lastText: string | undefined;
  const closeTurn = () => {
    if (lastText !== undefined && sources.length > 0) shown.set(lastText, sources);
    lastText = undefined;
  };
  for (const message of messages) {
    if (message.role === "user") {
      closeTurn();
      sources = Object.hasOwn(messageStates, message.id)
        ? (messageStates[message.id]?.sourceReferences ?? [])
        : [];
    } else if (isShownText(message)) {
      lastText = message.id;
    }
  }
  closeTurn();
  return shown;
}

/** Returns true for text of the agent. Agents begin messages without text before they call a tool. */
function isShownText({ role, content }: Message): boolean {
  const isAgent = role === "assistant" || role === "system" || role === "developer";
  return isAgent && typeof content === "string" && content !== "";
}
