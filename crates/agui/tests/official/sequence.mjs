// Answers a `sequence` request: each stage of the official pipeline alone,
// then a real agent run that is fed one event at a time.
import { client, collected, copy, reset, Subject } from "./official.mjs";

const STRIPPED =
  /^\[ag-ui\]\[enforce\] Removed unrecognised material at '(.*)' on ([A-Z_]+)\. Nothing handled it/s;
const DROPPED =
  /^\[ag-ui\]\[enforce\] Dropping unrecognised event '(.*)': no middleware translated it/s;
export const PATCH_FAILED = /^Failed to apply (state|activity) patch/;

/** Boundary and enforcement, in the order of the real pipeline. */
const enforce = (source) => {
  const boundary = new client.CompatibilityBoundary();
  const events = boundary.run({ messages: [] }, { run: () => source });
  return client.enforceEvents()(events);
};

/** Feeds `items` through one synchronous stage until it fails. */
export function runStage(stage, items) {
  const source = new Subject();
  const outputs = [];
  const origins = [];
  let failure = null;
  let index = 0;
  stage(source).subscribe({
    next: (event) => {
      outputs.push(copy(event));
      origins.push(index);
    },
    error: (error) => {
      failure = { index, error };
    },
  });
  for (; index < items.length && !failure; index++) source.next(copy(items[index]));
  source.complete();
  return { outputs, origins, failure };
}

/** The places a validator objected to, without repeats. */
const issuePaths = (error) => [
  ...new Set((error.issues ?? []).map((issue) => issue.path.map((key) => `/${key}`).join(""))),
];

class FedAgent extends client.AbstractAgent {
  source = new Subject();
  run() {
    return this.source;
  }
}

/** Whether the same object is in a list twice: a change then shows in both. */
const hasShared = (list) => new Set(list).size < list.length;

const drained = () => new Promise((resolve) => setImmediate(resolve));

/** Runs a real agent and lets it work off each event before the next. */
async function runAgent(events, messages, state) {
  const agent = new FedAgent({
    agentId: "A",
    threadId: "T",
    initialMessages: messages,
    initialState: state,
  });
  const finished = [];
  let settled = null;
  let aliased = false;
  const run = agent.runAgent(
    { runId: "R" },
    {
      onRunFinishedEvent: ({ outcome, result, pendingToolCallIds, interrupts }) => {
        finished.push(copy({ outcome, result, pendingToolCallIds, interrupts }));
      },
    },
  );
  const done = run.then(
    (value) => (settled = { value }),
    (error) => (settled = { error }),
  );
  await drained();
  let index = 0;
  for (; index < events.length && !settled; index++) {
    agent.source.next(copy(events[index]));
    await drained();
    aliased ||= hasShared(agent.messages);
  }
  agent.source.complete();
  await done;
  return { agent, finished, settled, aliased, index: index - 1 };
}

export async function sequence({ events, messages = [], state = {} }) {
  reset();
  const enforced = runStage(enforce, events);
  const enforceLog = collected();
  const expanded = runStage(client.transformChunks(), enforced.outputs);
  const verified = runStage(client.verifyEvents(), expanded.outputs);

  const answer = { enforced: enforced.outputs };
  const stripped = enforceLog.warnings
    .map((line) => STRIPPED.exec(line))
    .filter(Boolean)
    .map(([, path, type]) => ({ type, path }));
  if (stripped.length > 0) answer.stripped = stripped;
  const dropped = enforceLog.warnings.map((line) => DROPPED.exec(line)).filter(Boolean);
  if (dropped.length > 0) answer.dropped_event_types = dropped.map(([, type]) => type);
  answer.enforce_error = enforced.failure && {
    input_index: enforced.failure.index,
    paths: issuePaths(enforced.failure.error),
  };
  answer.expanded = expanded.outputs;
  answer.expand_error = expanded.failure && {
    enforced_index: expanded.failure.index,
    message: expanded.failure.error.message,
  };
  answer.verify = verified.failure
    ? { error_index: verified.failure.index, message: verified.failure.error.message }
    : "ok";
  if (enforceLog.minted > 0) answer.mint_count = enforceLog.minted;

  reset();
  const { agent, finished, settled, aliased, index } = await runAgent(events, messages, state);
  const failures = collected().warnings.filter((line) => PATCH_FAILED.test(line)).length;
  if (failures > 0) answer.patch_failures = failures;
  answer.error = settled.error
    ? describeError(settled.error, index, enforced, expanded, verified)
    : null;
  answer.result_messages = copy(agent.messages);
  answer.result_state = copy(agent.state);
  if (settled.value?.result !== undefined) answer.result = copy(settled.value.result);
  if (settled.value) answer.new_message_ids = settled.value.newMessages.map(({ id }) => id);
  if (aliased) answer.aliased = true;
  answer.finished = finished;
  answer.pending_interrupts = copy(agent.pendingInterrupts);
  if (!settled.error) answer.compacted = copy(client.compactEvents(copy(expanded.outputs)));
  return answer;
}

/** Names the stage that ended the real run, from the stages run alone. */
function describeError(error, index, enforced, expanded, verified) {
  if (enforced.failure?.index === index) {
    const paths = issuePaths(error);
    const message = paths.length > 0 ? `invalid value at ${paths.join(", ")}` : error.message;
    return { stage: "enforce", input_index: index, message };
  }
  const same = (failure, input) => input === index && failure.error.message === error.message;
  const { message } = error;
  if (verified.failure) {
    const input = enforced.origins[expanded.origins[verified.failure.index]];
    if (same(verified.failure, input)) return { stage: "verify", input_index: index, message };
  }
  if (expanded.failure && same(expanded.failure, enforced.origins[expanded.failure.index])) {
    return { stage: "expand", input_index: index, message };
  }
  return { stage: "apply", input_index: index, message };
}
