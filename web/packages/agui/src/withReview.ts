import { safePath } from "./statePatches.js";

/** Step of the review of a citation by a person. */
export interface CitationReview {
  action: "opened" | "closed" | "accepted" | "disputed";
  /** Time: milliseconds since 1970, or RFC 3339. */
  at: number | string;
  note?: string;
}

/**
 * Returns the shared state with the review of a citation, for `agent.setState`. The middleware sends it to the server
 * with the next run.
 */
export function withReview(
  state: unknown,
  key: string,
  review: CitationReview,
  stateKey = "deepcitation",
): Record<string, unknown> {
  safePath(stateKey, key);
  const root = { ...(state as Record<string, unknown>) };
  const own = { ...(root[stateKey] as Record<string, unknown>) };
  const reviews = { ...(own.reviews as Record<string, unknown>), [key]: review };
  return { ...root, [stateKey]: { ...own, reviews } };
}
