import type { CitationsState, PatchOperation } from "@pincite/client";
import { add, isSafeKey, safePath } from "./statePatches.js";

type JsonObject = Record<string, unknown>;

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Copies the members of an object that are objects under safe keys. */
function safeMembers<T>(value: unknown): Record<string, T> {
  const members = Object.entries(isObject(value) ? value : {});
  return Object.fromEntries(
    members.filter(([key, member]) => isSafeKey(key) && isObject(member)),
  ) as Record<string, T>;
}

/** Returns the state without one key. */
export function withoutKey(state: unknown, key: string): unknown {
  if (!isObject(state) || !Object.hasOwn(state, key)) return state;
  const { [key]: _, ...rest } = state;
  return rest;
}

/**
 * Our part of the shared state, and what the client has of it. What is published is a copy, because the client owns it;
 * so messages that began in this run can be changed in place.
 */
export class SharedState {
  readonly own: CitationsState & { reviews: Record<string, JsonObject> };
  /** Kind of the root of the client's state. Nothing is written into a list or scalar. */
  private root: "absent" | "object" | "other";
  /** True if the client has all of `own`. */
  private isPublished = false;
  private readonly path: string;

  constructor(key: string, state: unknown) {
    this.path = safePath(key);
    this.root = rootKind(state);
    const known = isObject(state) && Object.hasOwn(state, key) ? state[key] : undefined;
    const { citations, verifications, messages, reviews } = isObject(known) ? known : {};
    this.own = {
      citations: safeMembers(citations),
      verifications: safeMembers(verifications),
      messages: safeMembers(messages),
      reviews: safeMembers(reviews),
    };
  }

  /** Returns the path of a member of our state. */
  pathOf(...segments: string[]): string {
    return this.path + safePath(...segments);
  }

  /** Returns the patch that shows a change of `own`: the change, or all if the client lacks more. */
  publish(change: PatchOperation[]): PatchOperation[] {
    if (this.root === "other") return [];
    if (this.isPublished) return change;
    const root = this.root === "absent" ? [add("", {})] : [];
    this.root = "object";
    this.isPublished = true;
    const { reviews, ...rest } = this.own;
    const isReviewed = Object.keys(reviews).length > 0;
    return [...root, add(this.path, structuredClone(isReviewed ? this.own : rest))];
  }

  /** Marks a change of `own` that the client did not get. */
  skip(): void {
    this.isPublished = false;
  }

  /** Notes a state event of the agent. Returns true if our part must be written again. */
  isOverwritten(event: { type: string; snapshot?: unknown; delta?: unknown }): boolean {
    if (event.type === "STATE_SNAPSHOT") this.root = rootKind(event.snapshot);
    else if (!Array.isArray(event.delta) || !event.delta.some((change) => this.concerns(change))) {
      return false;
    }
    const hasResults = Object.keys(this.own.messages).length > 0;
    this.isPublished = false;
    return hasResults && this.root === "object";
  }

  private concerns({ path, op, value }: PatchOperation): boolean {
    if (path === "") this.root = op === "remove" ? "absent" : rootKind(value);
    return path === "" || path === this.path || `${path}`.startsWith(`${this.path}/`);
  }
}

function rootKind(state: unknown): "absent" | "object" | "other" {
  if (state === undefined || state === null) return "absent";
  return isObject(state) ? "object" : "other";
}
