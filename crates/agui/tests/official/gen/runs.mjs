// Whole runs on top of the world: snapshots, chunks, run boundaries, and the
// choice of what happens next.
import { object, text, word } from "./json.mjs";
import * as parts from "./messages.mjs";
import { document } from "./patches.mjs";
import { World } from "./world.mjs";

const CHUNKS = {
  text: { type: "TEXT_MESSAGE_CHUNK", key: "messageId", bucket: "message", role: "assistant" },
  tool: { type: "TOOL_CALL_CHUNK", key: "toolCallId", bucket: "toolCall" },
  reasoning: {
    type: "REASONING_MESSAGE_CHUNK",
    key: "messageId",
    bucket: "reasoning",
    role: "reasoning",
  },
};

const ACTIONS = {
  textStart: 5,
  textContent: 10,
  textEnd: 3,
  toolStart: 4,
  toolArgs: 7,
  toolEnd: 3,
  toolResult: 3,
  spanStart: 1,
  spanEnd: 1,
  reasoningStart: 2,
  reasoningContent: 6,
  reasoningEnd: 2,
  encrypted: 1.5,
  thinkingStep: 0.6,
  stepStart: 2,
  stepFinish: 2,
  subagentStart: 1.5,
  subagentEnd: 1,
  stateSnapshot: 2,
  stateDelta: 4,
  activitySnapshot: 2.5,
  activityDelta: 3,
  messagesSnapshot: 1,
  chunk: 3,
  raw: 0.7,
  custom: 0.7,
  unknown: 0.5,
};

// Each sequence leans on some actions, so that they meet often enough.
const PROFILES = [
  {},
  { chunk: 30 },
  { chunk: 60, subagentStart: 20, textStart: 1, toolStart: 1, reasoningStart: 1 },
  { subagentStart: 6, subagentEnd: 3, stepStart: 4, stepFinish: 4 },
  { stateSnapshot: 8, stateDelta: 20, activityDelta: 12, activitySnapshot: 6 },
  { messagesSnapshot: 8, activitySnapshot: 8, reasoningStart: 5 },
  { thinkingStep: 12, reasoningStart: 5, spanStart: 3 },
  { toolStart: 10, toolArgs: 10, toolEnd: 8, toolResult: 10 },
];

class Runs extends World {
  unknown() {
    this.emit({ type: this.rng.pick(["FUTURE_EVENT", "run_finished", "X"]), x: 1 });
  }

  authority() {
    const { rng } = this;
    const types = rng.pick([null, [], ["plan"], ["plan", "search"], "plan", [1]]);
    return rng.pick([
      { "@ag-ui/client": { authoritativeActivityTypes: types } },
      { "@ag-ui/client": {} },
      { "@ag-ui/client": null },
      { other: 1 },
    ]);
  }

  messagesSnapshot() {
    const messages = this.messages(0, 4);
    const metadata = this.rng.maybe(0.5, () => this.authority());
    this.emit({ type: "MESSAGES_SNAPSHOT", messages });
    if (metadata) this.events.at(-1).metadata = metadata;
    this.seedOwners(messages, true);
  }

  seedOwners(messages, authoritative) {
    for (const { id, role, subagentRunId, toolCalls = [], content } of messages) {
      const bucket = ["reasoning", "activity"].includes(role) ? role : "message";
      const owners = this.owners[bucket];
      if (authoritative || !owners.has(id)) owners.set(id, subagentRunId);
      for (const call of toolCalls) {
        const calls = this.owners.toolCall;
        if (authoritative || !calls.has(call.id)) calls.set(call.id, subagentRunId);
        this.calls.add(call.id);
      }
      if (authoritative || !this.roles.has(id)) this.roles.set(id, role);
      if (role === "activity") this.contents.set(id, content);
    }
  }

  chunk() {
    const { rng } = this;
    const kind = rng.weighted({ text: 4, tool: 2, reasoning: 1 });
    const held = [...this.lanes].filter(([, lane]) => lane.kind === kind);
    if (held.length > 0 && rng.chance(0.6)) this.continueChunk(kind, held);
    else this.openChunk(kind);
  }

  openChunk(kind) {
    const { rng } = this;
    const { type, key, bucket, role } = CHUNKS[kind];
    const id = this.freeId(bucket, kind);
    if (id === undefined) return;
    const fields = { [key]: id, delta: rng.maybe(0.7, () => text(rng)) };
    if (kind === "text") {
      fields.role = rng.maybe(0.3, () => rng.pick(["user", "assistant"]));
      fields.name = rng.maybe(0.1, () => word(rng));
    }
    let tag = this.tag(bucket, id);
    let owner = tag;
    if (kind === "tool") {
      fields.toolCallName = word(rng);
      fields.parentMessageId = rng.chance(0.05) ? null : rng.maybe(0.4, () => this.id("message"));
      ({ tag, owner } = this.callOwner(id, fields.parentMessageId ?? undefined));
      this.calls.add(id);
    } else if (!this.roles.has(id)) {
      this.roles.set(id, fields.role ?? role);
    }
    this.own(bucket, id, owner);
    this.emit({ type, ...fields, subagentRunId: tag });
    this.lanes.delete(tag);
    this.lanes.set(tag, { kind, id, fields });
  }

  /** Continues an open chunk stream with as few ids as are unambiguous. */
  continueChunk(kind, held) {
    const { rng } = this;
    const { type, key } = CHUNKS[kind];
    const [tag, { id, fields }] = rng.pick(held);
    const brief = tag === undefined || (held.length === 1 && !this.lanes.has(undefined));
    const naming = rng.pick(brief ? ["id", "tag", "both", "none"] : ["id", "tag", "both"]);
    const repeated = {};
    if (rng.chance(0.2)) {
      for (const name of ["role", "name", "toolCallName", "parentMessageId"])
        repeated[name] = fields[name];
    }
    this.emit({
      type,
      ...repeated,
      [key]: naming === "tag" || naming === "none" ? undefined : id,
      subagentRunId: naming === "id" || naming === "none" ? undefined : tag,
      delta: rng.maybe(0.8, () => text(rng)),
    });
  }

  startRun() {
    const { rng } = this;
    this.newRun();
    const messages = this.messages(0, 3);
    const input = rng.maybe(0.25, () => parts.runInput(rng, messages, true));
    this.emit({
      type: "RUN_STARTED",
      threadId: "T",
      runId: rng.pick(["R", "R2", ""]),
      protocolVersion: rng.maybe(0.1, () => rng.pick(["1.0", "2.0", "x"])),
      parentRunId: rng.maybe(0.1, () => "R0"),
      input,
    });
    if (input) this.seedOwners(messages, false);
  }

  closeEverything() {
    const { rng } = this;
    const ends = [
      ...[...this.open.text].map(() => "textEnd"),
      ...[...this.open.tool].map(() => "toolEnd"),
      ...[...this.open.reasoning].map(() => "reasoningEnd"),
      ...[...this.open.span].map(() => "spanEnd"),
      ...this.steps.map(() => "stepFinish"),
      ...this.active.map(() => "subagentEnd"),
    ];
    if (this.thinking.message) this.emit({ type: "THINKING_TEXT_MESSAGE_END" });
    if (this.thinking.span) this.emit({ type: "THINKING_END" });
    this.thinking = {};
    for (const end of rng.shuffle(ends)) this[end]();
  }

  finishRun() {
    const { rng } = this;
    this.closeEverything();
    const odd = rng.pick([null, null, { type: "exploded", x: 1 }, {}]);
    this.emit({
      type: "RUN_FINISHED",
      threadId: "T",
      runId: "R",
      result: rng.chance(0.1) ? null : rng.maybe(0.4, () => object(rng)),
      outcome: rng.chance(0.1) ? odd : rng.maybe(0.5, () => parts.runOutcome(rng)),
      usage: rng.maybe(0.2, () => parts.usage(rng)),
    });
  }

  errorRun() {
    const { rng } = this;
    const code = rng.maybe(0.3, () => word(rng));
    this.emit({
      type: "RUN_ERROR",
      message: text(rng),
      code,
      usage: rng.maybe(0.1, () => parts.usage(rng)),
    });
  }
}

/** Valid messages and a state to begin with; they share ids with the events. */
function beginning(world) {
  const { rng } = world;
  world.state = rng.chance(0.5) ? {} : document(rng, { strings: world.exact });
  if (world.state === null) world.state = {};
  const messages = rng.chance(0.5) ? [] : world.messages(1, 4, false);
  world.seedOwners(messages, false);
  return structuredClone({ messages, state: world.state });
}

/** A run of runs: mostly one, each finished, failed or cut off. */
export function sequenceOf(rng, exact) {
  const world = new Runs(rng, { exact });
  const start = beginning(world);
  const actions = { ...ACTIONS, ...rng.pick(PROFILES) };
  if (rng.chance(0.02)) world.errorRun();
  const runs = Number(rng.weighted({ 1: 7, 2: 2, 3: 1 }));
  for (let run = 1; run <= runs; run++) {
    world.startRun();
    for (let left = rng.between(0, 36); left > 0; left--) world[rng.weighted(actions)]();
    const end = rng.weighted({ finish: 8, error: 1, cut: run === runs ? 1 : 0 });
    if (end === "finish") world.finishRun();
    if (end === "error") world.errorRun();
    if (end === "finish" && rng.chance(0.05)) world.errorRun();
  }
  return { ...start, events: world.events };
}
