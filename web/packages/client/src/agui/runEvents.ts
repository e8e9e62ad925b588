import { addRunSources } from "../sources/messageState.js";
import { type Draft, findMessage, text } from "./draft.js";
import type { AgUiEvent, Interrupt, Message } from "./types.js";

/** Begins a run and adds messages of its input that are not known yet. */
export function startRun(draft: Draft, event: AgUiEvent): void {
  const runId = text(event.runId);
  draft.run = {
    status: "running",
    ...(runId === undefined ? {} : { runId }),
    startedToolCalls: [],
    stateBefore: draft.state,
  };
  draft.steps = [];
  draft.pendingToolCallIds = [];
  const input = event.input as { messages?: Message[] } | undefined;
  for (const message of input?.messages ?? []) {
    if (findMessage(draft, message.id) < 0) draft.messages.push(message);
  }
}

/** Ends a run with its outcome. */
export function finishRun(draft: Draft, event: AgUiEvent, at: number): void {
  const outcome = event.outcome as
    | { type?: string; interrupts?: Interrupt[]; pendingToolCallIds?: string[] }
    | undefined;
  closeTimings(draft, at);
  addSources(draft);
  const kind = outcome?.type;
  const status =
    kind === "cancelled" ? "cancelled" : kind === "interrupt" ? "interrupted" : "finished";
  draft.interrupts = kind === "interrupt" ? (outcome?.interrupts ?? []) : [];
  draft.pendingToolCallIds =
    status === "finished" ? pendingToolCalls(draft, outcome?.pendingToolCallIds ?? []) : [];
  draft.run = { ...draft.run, status };
}

/** Returns the declared tool calls, or else those of the run without a result. */
function pendingToolCalls(draft: Draft, declared: readonly string[]): readonly string[] {
  if (declared.length > 0) return declared;
  const answered = new Set(draft.messages.map((message) => message.toolCallId));
  return draft.run.startedToolCalls.filter((id) => !answered.has(id));
}

/** Ends a run with an error. Interrupts that wait for an answer stay. */
export function failRun(draft: Draft, event: AgUiEvent, at: number): void {
  closeTimings(draft, at);
  addSources(draft);
  const code = text(event.code);
  const message = text(event.message) ?? "The run failed.";
  draft.run = {
    ...draft.run,
    status: "failed",
    error: { message, ...(code === undefined ? {} : { code }) },
  };
}

/** Adds the sources that the run found to those of its turn. */
function addSources(draft: Draft): void {
  const userMessageId = draft.messages.findLast((message) => message.role === "user")?.id;
  if (userMessageId === undefined || draft.run.status !== "running") return;
  const { runId, stateBefore: before } = draft.run;
  const run = { userMessageId, runId, before, after: draft.state };
  draft.messageStates = addRunSources(draft.messageStates, run);
}

function closeTimings(draft: Draft, at: number): void {
  for (const [id, timing] of Object.entries(draft.timings)) {
    if (timing.endedAt === undefined) draft.timings[id] = { ...timing, endedAt: at };
  }
}

/** Begins a step. */
export function startStep(draft: Draft, event: AgUiEvent, at: number): void {
  draft.steps = [...draft.steps, { name: text(event.stepName) ?? "", startedAt: at }];
}

/** Ends the step with the same name. */
export function finishStep(draft: Draft, event: AgUiEvent, at: number): void {
  draft.steps = draft.steps.map((step) =>
    step.name === event.stepName && step.endedAt === undefined ? { ...step, endedAt: at } : step,
  );
}
