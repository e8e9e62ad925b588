// Grows event sequences that look like real runs. The world remembers what is
// open and who owns it, so that an unmutated sequence mostly verifies.
import { common } from "./events.mjs";
import { clean, object, scalar, text, value, word } from "./json.mjs";
import * as parts from "./messages.mjs";
import { document, patchFor, record } from "./patches.mjs";

const PREFIX = { message: "m", toolCall: "t", activity: "a", reasoning: "r" };
const BUCKET_OF_ROLE = { activity: "activity", reasoning: "reasoning" };

// Lanes that an event closes: its own, or all; others close none.
const CLOSES_OWN =
  /^(TEXT_MESSAGE_(START|CONTENT|END)|TOOL_CALL_(START|ARGS|END|RESULT)|STATE_.*|CUSTOM|STEP_.*|(REASONING|THINKING)_(START|END|MESSAGE_START|MESSAGE_CONTENT|MESSAGE_END|TEXT_MESSAGE_.*)|SUBAGENT_(FINISHED|ERROR))$/;
const CLOSES_ALL = /^(RUN_.*|MESSAGES_SNAPSHOT)$/;

export class World {
  /** `exact` tells that the sequence will not be mutated afterwards. */
  constructor(rng, { exact = true } = {}) {
    this.rng = rng;
    this.exact = exact;
    // Share of new entities that belong to an active subagent.
    this.tagging = rng.pick([0.3, 0.6, 0.95]);
    this.events = [];
    this.lanes = new Map();
    this.roles = new Map();
    this.contents = new Map();
    this.calls = new Set();
    this.newRun();
  }

  /** Forgets what a new run makes the verifier forget. */
  newRun() {
    this.owners = {
      message: new Map(),
      toolCall: new Map(),
      activity: new Map(),
      reasoning: new Map(),
    };
    this.open = { text: new Set(), tool: new Set(), reasoning: new Set(), span: new Set() };
    this.steps = [];
    this.active = [];
    this.closed = [];
    this.thinking = {};
  }

  emit(event) {
    const { rng } = this;
    const made = { ...event, ...pruned(common(rng, 0.5)) };
    if (rng.chance(0.02)) made.rawEvent = null;
    if (rng.chance(0.02)) made[rng.pick(["novel", "toString"])] = value(rng, 1);
    this.events.push(clean(made));
    if (CLOSES_ALL.test(made.type)) this.lanes.clear();
    if (CLOSES_OWN.test(made.type)) this.lanes.delete(made.subagentRunId);
  }

  /** A fresh id, an id seen before, or one of another kind. */
  id(bucket) {
    const { rng } = this;
    const seen = [...this.roles.keys(), ...this.calls];
    if (seen.length > 0 && rng.chance(0.05)) return rng.pick(seen);
    if (rng.chance(0.02)) return "";
    return `${PREFIX[bucket]}${rng.between(1, 9)}`;
  }

  isOpen(kind, id) {
    const held = [...this.lanes.values()].some((lane) => lane.kind === kind && lane.id === id);
    return held || this.open[kind].has(id);
  }

  /** An id that is not open as `kind`, or undefined when luck is bad. */
  freeId(bucket, kind) {
    const id = this.id(bucket);
    return this.isOpen(kind, id) ? undefined : id;
  }

  freshTag() {
    const { rng } = this;
    if (this.active.length > 0 && rng.chance(this.tagging)) return rng.pick(this.active);
    return rng.maybe(0.08, () => rng.pick([...parts.TAGS, "stray", ""]));
  }

  /** A tag that agrees with the owner on record, or a new one. */
  tag(bucket, id) {
    const owners = this.owners[bucket];
    if (!owners.has(id)) return this.freshTag();
    return this.rng.maybe(0.6, () => owners.get(id));
  }

  own(bucket, id, tag) {
    if (!this.owners[bucket].has(id)) this.owners[bucket].set(id, tag);
  }

  continued(bucket, id) {
    return this.rng.maybe(0.5, () => this.owners[bucket].get(id));
  }

  start(type, kind, bucket, fields) {
    const id = this.freeId(bucket, kind);
    if (id === undefined) return;
    const subagentRunId = this.tag(bucket, id);
    this.own(bucket, id, subagentRunId);
    this.open[kind].add(id);
    this.emit({ type, messageId: id, subagentRunId, ...fields });
    if (kind !== "span" && !this.roles.has(id)) this.roles.set(id, fields.role ?? "assistant");
  }

  /** Continues or ends something open; does nothing if nothing is. */
  continueOpen(type, kind, bucket, fields) {
    const ids = [...this.open[kind]];
    if (ids.length === 0) return;
    const id = this.rng.pick(ids);
    const key = kind === "tool" ? "toolCallId" : "messageId";
    if (type.endsWith("_END")) this.open[kind].delete(id);
    this.emit({ type, [key]: id, ...fields, subagentRunId: this.continued(bucket, id) });
  }

  textStart() {
    const { rng } = this;
    const role = rng.maybe(0.5, () =>
      rng.pick(["assistant", "assistant", "user", "system", "developer"]),
    );
    this.start("TEXT_MESSAGE_START", "text", "message", {
      role,
      name: rng.maybe(0.1, () => word(rng)),
    });
  }

  textContent() {
    this.continueOpen("TEXT_MESSAGE_CONTENT", "text", "message", { delta: text(this.rng) });
  }

  textEnd() {
    this.continueOpen("TEXT_MESSAGE_END", "text", "message", {});
  }

  toolStart() {
    const { rng } = this;
    const id = this.freeId("toolCall", "tool");
    if (id === undefined) return;
    const known = [...this.roles.keys()];
    const parent = rng.maybe(0.5, () =>
      rng.chance(0.8) && known.length > 0 ? rng.pick(known) : this.id("message"),
    );
    const { tag, owner } = this.callOwner(id, parent);
    this.own("toolCall", id, owner);
    this.open.tool.add(id);
    this.calls.add(id);
    const parentMessageId = parent === undefined && rng.chance(0.1) ? null : parent;
    this.emit({
      type: "TOOL_CALL_START",
      toolCallId: id,
      toolCallName: word(rng),
      parentMessageId,
      subagentRunId: tag,
    });
  }

  /** A call belongs to the owner of its parent message, if that is known. */
  callOwner(id, parent) {
    const inherited = parent !== undefined && this.owners.message.has(parent);
    const known = this.owners.toolCall.has(id);
    const recorded = inherited ? this.owners.message.get(parent) : this.owners.toolCall.get(id);
    if (!inherited && !known) {
      const tag = this.freshTag();
      return { tag, owner: tag };
    }
    return { tag: this.rng.maybe(0.5, () => recorded), owner: recorded };
  }

  toolArgs() {
    this.continueOpen("TOOL_CALL_ARGS", "tool", "toolCall", { delta: text(this.rng) });
  }

  toolEnd() {
    this.continueOpen("TOOL_CALL_END", "tool", "toolCall", {});
  }

  toolResult() {
    const { rng } = this;
    const calls = [...this.calls];
    const messageId = rng.chance(0.9) ? `q${rng.between(1, 9)}` : this.id("message");
    const subagentRunId = this.freshTag();
    this.owners.message.set(messageId, subagentRunId);
    this.roles.set(messageId, "tool");
    this.emit({
      type: "TOOL_CALL_RESULT",
      messageId,
      toolCallId: calls.length > 0 && rng.chance(0.9) ? rng.pick(calls) : this.id("toolCall"),
      content: rng.chance(0.6) ? text(rng) : parts.resultParts(rng, true),
      role: rng.maybe(0.2, () => "tool"),
      subagentRunId,
    });
  }

  spanStart() {
    this.start("REASONING_START", "span", "reasoning", {});
  }

  spanEnd() {
    this.continueOpen("REASONING_END", "span", "reasoning", {});
  }

  reasoningStart() {
    this.start("REASONING_MESSAGE_START", "reasoning", "reasoning", { role: "reasoning" });
  }

  reasoningContent() {
    this.continueOpen("REASONING_MESSAGE_CONTENT", "reasoning", "reasoning", {
      delta: text(this.rng),
    });
  }

  reasoningEnd() {
    this.continueOpen("REASONING_MESSAGE_END", "reasoning", "reasoning", {});
  }

  encrypted() {
    const { rng } = this;
    const isCall = rng.chance(0.5);
    const known = isCall ? [...this.calls] : [...this.roles.keys()];
    const entityId = known.length > 0 && rng.chance(0.9) ? rng.pick(known) : this.id("message");
    const { message, reasoning, toolCall } = this.owners;
    const owners = isCall ? toolCall : message.has(entityId) ? message : reasoning;
    this.emit({
      type: "REASONING_ENCRYPTED_VALUE",
      subtype: isCall ? "tool-call" : "message",
      entityId,
      encryptedValue: text(rng),
      subagentRunId: rng.maybe(0.3, () => owners.get(entityId)),
    });
  }

  /** Retired events: the client generates the ids for them. */
  thinkingStep() {
    const { rng, thinking } = this;
    if (!thinking.message && !thinking.span) thinking.tag = this.freshTag();
    const emit = (type, fields) => this.emit({ type, ...fields, subagentRunId: thinking.tag });
    if (thinking.message) {
      const end = rng.chance(0.4);
      if (end) thinking.message = false;
      if (end) emit("THINKING_TEXT_MESSAGE_END", {});
      else emit("THINKING_TEXT_MESSAGE_CONTENT", { delta: text(rng) });
    } else if (rng.chance(0.6)) {
      thinking.message = true;
      emit("THINKING_TEXT_MESSAGE_START", { role: rng.maybe(0.2, () => "assistant") });
    } else if (thinking.span) {
      thinking.span = false;
      emit("THINKING_END", {});
    } else {
      thinking.span = true;
      emit("THINKING_START", { title: rng.maybe(0.5, () => word(rng)) });
    }
  }

  stepStart() {
    const { rng } = this;
    const step = { stepName: rng.pick(["plan", "act", ""]), subagentRunId: this.freshTag() };
    const same = (other) =>
      other.stepName === step.stepName && other.subagentRunId === step.subagentRunId;
    if (this.steps.some(same)) return;
    this.steps.push(step);
    this.emit({ type: "STEP_STARTED", ...step });
  }

  stepFinish() {
    if (this.steps.length === 0) return;
    const [step] = this.steps.splice(this.rng.int(this.steps.length), 1);
    this.emit({ type: "STEP_FINISHED", ...step });
  }

  subagentStart() {
    const { rng } = this;
    const free = [...parts.TAGS, "s4", "s5"].filter(
      (id) => !this.active.includes(id) && !this.closed.includes(id),
    );
    if (free.length === 0) return;
    const subagentRunId = rng.pick(free);
    const parents = [...this.active, ...this.closed];
    this.emit({
      type: "SUBAGENT_STARTED",
      subagentRunId,
      name: word(rng),
      description: rng.maybe(0.2, () => text(rng)),
      parentSubagentRunId: parents.length > 0 ? rng.maybe(0.5, () => rng.pick(parents)) : undefined,
      parentToolCallId: rng.maybe(0.2, () => this.id("toolCall")),
      parentMessageId: rng.maybe(0.2, () => this.id("message")),
    });
    this.active.push(subagentRunId);
  }

  subagentEnd() {
    const { rng } = this;
    if (this.active.length === 0) return;
    const [subagentRunId] = this.active.splice(rng.int(this.active.length), 1);
    this.closed.push(subagentRunId);
    if (rng.chance(0.25)) {
      this.emit({
        type: "SUBAGENT_ERROR",
        subagentRunId,
        message: text(rng),
        code: rng.maybe(0.3, () => word(rng)),
      });
      return;
    }
    const outcome = rng.maybe(0.5, () =>
      rng.chance(0.1) ? { type: "lost" } : parts.subagentOutcome(rng),
    );
    const result = rng.chance(0.1) ? null : rng.maybe(0.4, () => object(rng));
    this.emit({ type: "SUBAGENT_FINISHED", subagentRunId, result, outcome });
  }

  stateSnapshot() {
    this.state = document(this.rng, { strings: this.exact });
    this.emit({ type: "STATE_SNAPSHOT", snapshot: this.state, subagentRunId: this.freshTag() });
  }

  /** A patch for `data`, careful when the document may be another one. */
  patch(data) {
    return patchFor(this.rng, data, { rootCopies: this.exact, strings: this.exact });
  }

  stateDelta() {
    const { patch, after } = this.patch(this.state);
    this.state = after;
    if (this.rng.chance(0.03)) patch.push({ op: "merge", path: "/a", value: 1 });
    this.emit({ type: "STATE_DELTA", delta: patch, subagentRunId: this.freshTag() });
  }

  activitySnapshot() {
    const { rng } = this;
    const messageId = this.id("activity");
    const content = rng.chance(0.7) ? record(rng) : object(rng);
    const replace = rng.maybe(0.4, () => rng.chance(0.4));
    const subagentRunId = this.freshTag();
    const { activity } = this.owners;
    if (!activity.has(messageId) || replace !== false) activity.set(messageId, subagentRunId);
    if (!this.contents.has(messageId) || replace !== false) this.contents.set(messageId, content);
    if (!this.roles.has(messageId)) this.roles.set(messageId, "activity");
    this.emit({
      type: "ACTIVITY_SNAPSHOT",
      messageId,
      activityType: rng.pick(["plan", "search", ""]),
      content,
      replace,
      subagentRunId,
    });
  }

  activityDelta() {
    const { rng } = this;
    const known = [...this.contents.keys()];
    const messageId = known.length > 0 && rng.chance(0.9) ? rng.pick(known) : this.id("activity");
    const { patch, after } = this.patch(this.contents.get(messageId) ?? {});
    if (this.contents.has(messageId)) this.contents.set(messageId, after);
    const activityType = rng.pick(["plan", "search"]);
    const subagentRunId = this.continued("activity", messageId);
    this.emit({ type: "ACTIVITY_DELTA", messageId, activityType, patch, subagentRunId });
  }

  raw() {
    const { rng } = this;
    const source = rng.maybe(0.3, () => word(rng));
    this.emit({ type: "RAW", event: value(rng), source, subagentRunId: this.freshTag() });
  }

  custom() {
    const { rng } = this;
    this.emit({
      type: "CUSTOM",
      name: word(rng),
      value: scalar(rng),
      subagentRunId: this.freshTag(),
    });
  }

  /** Messages that mix known ids with new ones, with mostly the known owners. */
  messages(low, high, loose = true) {
    const { rng } = this;
    const known = [...this.roles.keys()];
    return rng.list(low, high, () => {
      const id = known.length > 0 && rng.chance(0.6) ? rng.pick(known) : this.id("message");
      const role =
        this.roles.has(id) && rng.chance(0.85) ? this.roles.get(id) : rng.pick(parts.ROLES);
      const owners = this.owners[BUCKET_OF_ROLE[role] ?? "message"];
      const tag =
        owners.has(id) && rng.chance(0.85)
          ? owners.get(id)
          : rng.maybe(0.1, () => rng.pick(parts.TAGS));
      const callIds = rng.list(0, 2, () =>
        this.calls.size > 0 ? rng.pick([...this.calls]) : "t1",
      );
      return parts.message(rng, { id, role, tag, callIds, loose });
    });
  }
}

const pruned = (fields) =>
  Object.fromEntries(Object.entries(fields).filter(([, field]) => field !== undefined));
