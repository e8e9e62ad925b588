// Random messages, content parts and run inputs.
//
// `loose` adds what a tolerant reader has to cope with: retired shapes,
// unknown members and union members. Without it everything is valid 1.0.
import { clean, nonNull, object, text, value, word } from "./json.mjs";

export const ROLES = ["developer", "system", "assistant", "user", "tool", "activity", "reasoning"];
export const TAGS = ["s1", "s2", "s3"];
const MIMES = ["image/png", "audio/wav", "video/mp4", "application/pdf", "text/plain"];

function source(rng) {
  const mime = rng.pick(MIMES);
  const value = rng.pick(["AA==", "AAEC", "https://x/y", "file-1", ""]);
  const optional = rng.maybe(0.5, () => mime);
  return rng.pick([
    { type: "data", value, mimeType: mime },
    { type: "url", value, mimeType: optional },
    { type: "file", value, provider: rng.maybe(0.5, () => "p"), mimeType: optional },
  ]);
}

function legacyBinary(rng) {
  return {
    type: "binary",
    mimeType: rng.pick(MIMES),
    data: rng.maybe(0.5, () => rng.pick(["AA==", "AAEC", ""])),
    url: rng.maybe(0.4, () => rng.pick(["https://x/y", ""])),
    id: rng.maybe(0.4, () => "file-1"),
    filename: rng.maybe(0.4, () => rng.pick(["f.txt", ""])),
  };
}

const mediaKind = (mime) =>
  ["image", "audio", "video"].find((kind) => mime.startsWith(`${kind}/`)) ?? "document";

/** The modern part that a legacy part turns into, to be found as its mirror. */
const mirrorOf = (rng, { mimeType, data, url, filename }) => ({
  type: mediaKind(mimeType),
  source: { type: data ? "data" : "url", value: data || url || "", mimeType },
  metadata: rng.maybe(0.6, () => ({ filename: filename ?? "f.txt" })),
});

function part(rng, loose) {
  const id = rng.maybe(0.15, () => "p1");
  const metadata = rng.maybe(0.2, () => nonNull(rng));
  if (loose && rng.chance(0.06)) return { type: "hologram", x: 1 };
  if (loose && rng.chance(0.04)) return { type: "image", source: { type: "quantum" } };
  const fatal = loose && rng.chance(0.01);
  if (rng.chance(0.5))
    return { type: "text", text: text(rng), id, metadata: fatal ? null : metadata };
  const media = { type: rng.pick(["image", "audio", "video", "document"]), source: source(rng) };
  return { ...media, id, metadata: loose && rng.chance(0.1) ? null : metadata };
}

/** Content parts of a message, where retired parts are upgraded. */
function messageParts(rng, loose) {
  const parts = rng.list(0, 3, () => part(rng, loose));
  if (loose && rng.chance(0.2)) {
    const binary = legacyBinary(rng);
    parts.push(binary);
    if (rng.chance(0.4)) parts.push(mirrorOf(rng, binary));
    if (rng.chance(0.2)) parts.push(binary);
  }
  return rng.shuffle(parts);
}

/** Content parts of a tool result: no upgrade, so a null there is fatal. */
export const resultParts = (rng, loose) =>
  rng.list(0, 3, () => {
    const made = part(rng, loose);
    return made.metadata === null && rng.chance(0.9) ? { ...made, metadata: undefined } : made;
  });

function toolCall(rng, id, loose) {
  return {
    id,
    type: "function",
    function: { name: word(rng), arguments: rng.pick(["", "{}", '{"a":', text(rng)]) },
    encryptedValue: rng.maybe(0.1, () => word(rng)),
    metadata: rng.maybe(0.15, () => object(rng)),
    ...(loose && rng.chance(0.05) ? { index: 0 } : {}),
  };
}

const CONTENT = {
  assistant: (rng) => rng.maybe(0.8, () => text(rng)),
  user: (rng, loose) => (rng.chance(0.5) ? text(rng) : messageParts(rng, loose)),
  tool: (rng, loose) => (rng.chance(0.6) ? text(rng) : messageParts(rng, loose)),
  activity: (rng) => object(rng),
};

export function message(rng, { id, role = rng.pick(ROLES), tag, callIds = [], loose = false }) {
  const made = {
    id,
    role,
    content: (CONTENT[role] ?? text)(rng, loose),
    subagentRunId: tag,
    metadata: rng.maybe(0.2, () => object(rng)),
  };
  if (!["tool", "activity", "reasoning"].includes(role))
    made.name = rng.maybe(0.1, () => word(rng));
  if (role !== "activity") made.encryptedValue = rng.maybe(0.08, () => word(rng));
  if (role === "activity") made.activityType = rng.pick(["plan", "search"]);
  if (role === "tool") {
    made.toolCallId = rng.pick([...callIds, "t1"]);
    made.error = rng.maybe(0.1, () => word(rng));
  }
  if (role === "assistant" && rng.chance(0.5)) {
    made.toolCalls = callIds.map((callId) => toolCall(rng, callId, loose));
  }
  if (loose && rng.chance(0.05)) made[rng.pick(["bogus", "toString"])] = value(rng);
  if (loose && rng.chance(0.03)) made.role = "wizard";
  return clean(made);
}

const tool = (rng, loose) => ({
  name: word(rng),
  description: text(rng),
  parameters: loose && rng.chance(0.2) ? null : rng.maybe(0.5, () => nonNull(rng)),
  metadata: rng.maybe(0.2, () => object(rng)),
});

const resumeEntry = (rng, loose) => ({
  interruptId: rng.pick(["i1", "i2", ""]),
  status: rng.pick(["resolved", "cancelled"]),
  payload: loose && rng.chance(0.2) ? null : rng.maybe(0.5, () => nonNull(rng)),
  metadata: rng.maybe(0.2, () => object(rng)),
});

export function runInput(rng, messages, loose) {
  const context = () => ({ description: text(rng), value: text(rng) });
  return clean({
    threadId: "T",
    runId: "R",
    messages,
    protocolVersion: rng.maybe(0.2, () => "1.0"),
    parentRunId: rng.maybe(0.2, () => word(rng)),
    state: loose && rng.chance(0.1) ? null : rng.maybe(0.4, () => nonNull(rng)),
    tools: rng.maybe(0.5, () => rng.list(0, 2, () => tool(rng, loose))),
    context: rng.maybe(0.5, () => rng.list(0, 2, context)),
    forwardedProps: loose && rng.chance(0.1) ? null : rng.maybe(0.4, () => nonNull(rng)),
    resume: rng.maybe(0.3, () => rng.list(0, 2, () => resumeEntry(rng, loose))),
    ...(loose && rng.chance(0.1) ? { novelty: [1] } : {}),
  });
}

const count = (rng) => rng.maybe(0.4, () => rng.pick([0, 1, 17, 9007199254740991]));

export const usage = (rng) =>
  rng.list(0, 2, () => ({
    provider: rng.maybe(0.6, () => word(rng)),
    model: rng.maybe(0.6, () => word(rng)),
    inputTokens: count(rng),
    outputTokens: count(rng),
    totalTokens: count(rng),
    reasoningTokens: count(rng),
    cachedInputTokens: count(rng),
    cacheWriteInputTokens: count(rng),
  }));

const interrupt = (rng) => ({
  id: rng.pick(["i1", "i2", ""]),
  reason: word(rng),
  message: rng.maybe(0.4, () => text(rng)),
  toolCallId: rng.maybe(0.3, () => "t1"),
  responseSchema: rng.maybe(0.3, () => object(rng)),
  expiresAt: rng.maybe(0.3, () => rng.pick(["2030-01-01T00:00:00Z", "soon"])),
  metadata: rng.maybe(0.3, () => object(rng)),
  subagentRunId: rng.maybe(0.2, () => rng.pick(TAGS)),
});

export const runOutcome = (rng) =>
  rng.pick([
    { type: "success", pendingToolCallIds: rng.maybe(0.6, () => rng.list(0, 2, () => "t1")) },
    { type: "interrupt", interrupts: rng.list(1, 2, () => interrupt(rng)) },
    { type: "cancelled" },
  ]);

export const subagentOutcome = (rng) =>
  rng.pick([
    { type: "success" },
    { type: "suspended", interruptIds: rng.maybe(0.6, () => rng.list(0, 2, () => "i1")) },
  ]);
