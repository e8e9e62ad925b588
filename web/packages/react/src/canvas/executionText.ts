import { plainText } from "./format.js";
import type { ActionExecution, ActionState } from "./types.js";

const STATE_WORDS: Readonly<Record<ActionState, string>> = {
  suggested: "",
  confirmed: "Confirmed",
  running: "Running…",
  done: "Done",
  failed: "Failed",
  expired: "Expired",
  undone: "Undone",
};

/** Longest result that is shown, in characters. */
const MAX_RESULT = 200;

/** Returns the state of an execution in words, with its result or error. */
export function executionText(execution: ActionExecution): string {
  const word = STATE_WORDS[execution.state] ?? execution.state;
  const detail = execution.state === "failed" ? execution.error : plainText(execution.result);
  if (detail === undefined || detail === "" || detail === "{}") return word;
  return `${word}: ${detail.length > MAX_RESULT ? `${detail.slice(0, MAX_RESULT)}…` : detail}`;
}
