// Single random events of every type, valid by themselves.
import { clean, nonNull, object, text, value, word } from "./json.mjs";
import * as parts from "./messages.mjs";
import { patchFor, record } from "./patches.mjs";

const IDS = ["m1", "m2", "t1", "t2", "r1", "a1", "x1", ""];
const TEXT_ROLES = ["developer", "system", "assistant", "user"];

const id = (rng) => rng.pick(IDS);
const role = (rng) => rng.pick(TEXT_ROLES);
const patch = (rng) => patchFor(rng, record(rng)).patch;

const messages = (rng) =>
  rng.list(0, 3, () =>
    parts.message(rng, {
      id: id(rng),
      tag: rng.maybe(0.2, () => rng.pick(parts.TAGS)),
      callIds: rng.list(0, 2, () => id(rng)),
    }),
  );

// The fields of each type beyond the common ones; undefined means absent.
const FIELDS = {
  TEXT_MESSAGE_START: (rng) => ({
    messageId: id(rng),
    role: rng.maybe(0.5, () => role(rng)),
    name: rng.maybe(0.3, () => word(rng)),
  }),
  TEXT_MESSAGE_CONTENT: (rng) => ({ messageId: id(rng), delta: text(rng) }),
  TEXT_MESSAGE_END: (rng) => ({ messageId: id(rng) }),
  TEXT_MESSAGE_CHUNK: (rng) => ({
    messageId: rng.maybe(0.7, () => id(rng)),
    role: rng.maybe(0.3, () => role(rng)),
    delta: rng.maybe(0.7, () => text(rng)),
    name: rng.maybe(0.2, () => word(rng)),
  }),
  TOOL_CALL_START: (rng) => ({
    toolCallId: id(rng),
    toolCallName: word(rng),
    parentMessageId: rng.maybe(0.5, () => id(rng)),
  }),
  TOOL_CALL_ARGS: (rng) => ({ toolCallId: id(rng), delta: text(rng) }),
  TOOL_CALL_END: (rng) => ({ toolCallId: id(rng) }),
  TOOL_CALL_CHUNK: (rng) => ({
    toolCallId: rng.maybe(0.7, () => id(rng)),
    toolCallName: rng.maybe(0.7, () => word(rng)),
    parentMessageId: rng.maybe(0.3, () => id(rng)),
    delta: rng.maybe(0.7, () => text(rng)),
  }),
  TOOL_CALL_RESULT: (rng) => ({
    messageId: id(rng),
    toolCallId: id(rng),
    content: rng.chance(0.5) ? text(rng) : parts.resultParts(rng, false),
    role: rng.maybe(0.3, () => "tool"),
  }),
  STATE_SNAPSHOT: (rng) => ({ snapshot: value(rng) }),
  STATE_DELTA: (rng) => ({ delta: patch(rng) }),
  MESSAGES_SNAPSHOT: (rng) => ({ messages: messages(rng) }),
  ACTIVITY_SNAPSHOT: (rng) => ({
    messageId: id(rng),
    activityType: word(rng),
    content: object(rng),
    replace: rng.maybe(0.4, () => rng.chance(0.5)),
  }),
  ACTIVITY_DELTA: (rng) => ({ messageId: id(rng), activityType: word(rng), patch: patch(rng) }),
  RAW: (rng) => ({ event: value(rng), source: rng.maybe(0.3, () => word(rng)) }),
  CUSTOM: (rng) => ({ name: word(rng), value: value(rng) }),
  RUN_STARTED: (rng) => ({
    threadId: "T",
    runId: "R",
    protocolVersion: rng.maybe(0.3, () => "1.0"),
    parentRunId: rng.maybe(0.2, () => word(rng)),
    input: rng.maybe(0.4, () => parts.runInput(rng, messages(rng), false)),
  }),
  RUN_FINISHED: (rng) => ({
    threadId: "T",
    runId: "R",
    result: rng.maybe(0.4, () => nonNull(rng)),
    outcome: rng.maybe(0.7, () => parts.runOutcome(rng)),
    usage: rng.maybe(0.4, () => parts.usage(rng)),
  }),
  RUN_ERROR: (rng) => ({
    message: text(rng),
    code: rng.maybe(0.4, () => word(rng)),
    usage: rng.maybe(0.3, () => parts.usage(rng)),
  }),
  STEP_STARTED: (rng) => ({ stepName: text(rng) }),
  STEP_FINISHED: (rng) => ({ stepName: text(rng) }),
  REASONING_START: (rng) => ({ messageId: id(rng) }),
  REASONING_END: (rng) => ({ messageId: id(rng) }),
  REASONING_MESSAGE_START: (rng) => ({ messageId: id(rng), role: "reasoning" }),
  REASONING_MESSAGE_CONTENT: (rng) => ({ messageId: id(rng), delta: text(rng) }),
  REASONING_MESSAGE_END: (rng) => ({ messageId: id(rng) }),
  REASONING_MESSAGE_CHUNK: (rng) => ({
    messageId: rng.maybe(0.7, () => id(rng)),
    delta: rng.maybe(0.7, () => text(rng)),
  }),
  REASONING_ENCRYPTED_VALUE: (rng) => ({
    subtype: rng.pick(["tool-call", "message"]),
    entityId: id(rng),
    encryptedValue: text(rng),
  }),
  SUBAGENT_STARTED: (rng) => ({
    subagentRunId: rng.pick(parts.TAGS),
    name: word(rng),
    description: rng.maybe(0.3, () => text(rng)),
    parentSubagentRunId: rng.maybe(0.3, () => rng.pick(parts.TAGS)),
    parentToolCallId: rng.maybe(0.3, () => id(rng)),
    parentMessageId: rng.maybe(0.3, () => id(rng)),
  }),
  SUBAGENT_FINISHED: (rng) => ({
    subagentRunId: rng.pick(parts.TAGS),
    result: rng.maybe(0.4, () => nonNull(rng)),
    outcome: rng.maybe(0.6, () => parts.subagentOutcome(rng)),
  }),
  SUBAGENT_ERROR: (rng) => ({
    subagentRunId: rng.pick(parts.TAGS),
    message: text(rng),
    code: rng.maybe(0.4, () => word(rng)),
  }),
};

const UNTAGGED = ["RUN_STARTED", "RUN_FINISHED", "RUN_ERROR", "MESSAGES_SNAPSHOT"];

const EVENT_TYPES = Object.keys(FIELDS);

/** A valid event of a random type. */
export function event(rng, type = rng.pick(EVENT_TYPES)) {
  const made = { type, ...FIELDS[type](rng), ...common(rng) };
  if (!UNTAGGED.includes(type) && !type.startsWith("SUBAGENT_")) {
    made.subagentRunId = rng.maybe(0.2, () => rng.pick(parts.TAGS));
  }
  return clean(made);
}

/** The fields that every event may have. */
export const common = (rng, share = 1) => ({
  timestamp: rng.maybe(0.15 * share, () => rng.pick([0, -5, 1700000000000])),
  rawEvent: rng.maybe(0.1 * share, () => nonNull(rng)),
  metadata: rng.maybe(0.3 * share, () => object(rng)),
});
