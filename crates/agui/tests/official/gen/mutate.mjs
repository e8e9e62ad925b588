// Damages a sequence in the ways a wrong producer might.
import { event as randomEvent } from "./events.mjs";
import { value, word } from "./json.mjs";

const ID_FIELDS = [
  "messageId",
  "toolCallId",
  "parentMessageId",
  "entityId",
  "subagentRunId",
  "stepName",
  "id",
];
const CHUNK_FIELDS = [
  "messageId",
  "toolCallId",
  "toolCallName",
  "role",
  "name",
  "parentMessageId",
  "subagentRunId",
];
const WRONG = [5, -1, 1.5, true, "oops", "", [], {}, [1], { a: null }];
const BAD_POINTERS = ["a", "/a~2", "/a~", "a/b"];

/** Every place inside an event: the container and the key in it. */
function places(data, found = []) {
  if (typeof data !== "object" || data === null) return found;
  for (const key of Object.keys(data)) {
    found.push({ holder: data, key });
    places(data[key], found);
  }
  return found;
}

/** Places that may be overwritten: an event without a type is no event. */
const targets = (event) =>
  places(event).filter(({ holder, key }) => holder !== event || key !== "type");

const objects = (event) => [
  event,
  ...places(event)
    .map(({ holder, key }) => holder[key])
    .filter((item) => typeof item === "object" && item !== null && !Array.isArray(item)),
];

/** A null message makes the official boundary itself crash. */
const isMessageSlot = (event, holder) =>
  holder === event.messages || (event.input && holder === event.input.messages);

function overwrite(rng, event, make) {
  const found = targets(event);
  // Without this the deeper places would hide the top-level fields.
  const top = found.filter(({ holder }) => holder === event);
  const { holder, key } = rng.pick(rng.chance(0.3) && top.length > 0 ? top : found);
  const next = make();
  holder[key] = next === null && isMessageSlot(event, holder) ? 5 : next;
}

const NESTED = ["messages", "input", "outcome", "usage", "delta", "patch", "content"];

/** Changes a place in an event, often in one that has inner structure. */
const inside = (change) => (rng, events, at) => {
  const nested = events.filter((event) => NESTED.some((name) => typeof event[name] === "object"));
  const event = nested.length > 0 && rng.chance(0.5) ? rng.pick(nested) : events[at];
  if (targets(event).length > 0) change(rng, event);
};

const MUTATIONS = {
  drop: (rng, events, at) => events.splice(at, 1),
  duplicate: (rng, events, at) => events.splice(at, 0, structuredClone(events[at])),
  repeat: (rng, events, at) => {
    events.splice(rng.between(at, events.length), 0, structuredClone(events[at]));
  },
  swap: (rng, events, at) => {
    const other = rng.chance(0.7) ? Math.min(at + 1, events.length - 1) : rng.int(events.length);
    [events[at], events[other]] = [events[other], events[at]];
  },
  truncate: (rng, events, at) => events.splice(at),
  insert: (rng, events, at) => events.splice(at, 0, randomEvent(rng)),
  retag: (rng, events, at) => {
    const tag = rng.pick(["s1", "s2", "ghost", "", undefined, null]);
    if (tag === undefined) delete events[at].subagentRunId;
    else events[at].subagentRunId = tag;
  },
  rename: (rng, events, at) => {
    const known = events.flatMap((event) => ID_FIELDS.map((name) => event[name]));
    const ids = known.filter((id) => typeof id === "string");
    const names = ID_FIELDS.filter((name) => Object.hasOwn(events[at], name));
    if (names.length > 0) events[at][rng.pick(names)] = rng.pick([...ids, "", "new"]);
  },
  unknownField: (rng, events, at) => {
    rng.pick(objects(events[at]))[rng.pick(["bogus", "x-new", "toString", word(rng)])] = value(
      rng,
      1,
    );
  },
  unknownType: (rng, events, at) => {
    events[at].type = rng.pick(["NOVEL", "text_message_start", "TEXT_MESSAGE", word(rng)]);
  },
  wrongType: inside((rng, event) => {
    overwrite(rng, event, () => structuredClone(rng.pick(WRONG)));
  }),
  nullField: inside((rng, event) => overwrite(rng, event, () => null)),
  dropField: inside((rng, event) => {
    const { holder, key } = rng.pick(targets(event));
    if (Array.isArray(holder)) holder.splice(Number(key), 1);
    else delete holder[key];
  }),
  badPointer: (rng, events, at) => {
    const operations = objects(events[at]).filter((item) => Object.hasOwn(item, "op"));
    if (operations.length > 0)
      rng.pick(operations)[rng.pick(["path", "from"])] = rng.pick(BAD_POINTERS);
  },
  chunkField: (rng, events) => {
    const chunks = events.filter(({ type }) => type.endsWith("_CHUNK"));
    if (chunks.length === 0) return;
    const chunk = rng.pick(chunks);
    const name = rng.pick(CHUNK_FIELDS);
    if (rng.chance(0.5)) delete chunk[name];
    else
      chunk[name] = name === "role" ? rng.pick(["user", "system"]) : rng.pick(["s1", "m1", "t1"]);
  },
  bareChunk: (rng, events) => {
    const chunks = [...events.keys()].filter((at) => events[at].type.endsWith("_CHUNK"));
    if (chunks.length === 0) return;
    const at = rng.pick(chunks);
    events.splice(at + rng.int(3), 0, { type: events[at].type, delta: "bare" });
  },
  emptyId: (rng, events, at) => {
    const names = ID_FIELDS.filter((name) => Object.hasOwn(events[at], name));
    if (names.length > 0) events[at][rng.pick(names)] = "";
  },
};

const WEIGHTS = {
  drop: 4,
  duplicate: 2,
  repeat: 3,
  swap: 2,
  truncate: 1,
  insert: 2,
  retag: 4,
  rename: 4,
  unknownField: 4,
  unknownType: 1,
  wrongType: 2,
  nullField: 2,
  dropField: 1,
  badPointer: 0.5,
  chunkField: 4,
  bareChunk: 4,
  emptyId: 1,
};

/** Undoes what patches must not do, see patches.mjs. */
function keepComparable(event) {
  if (typeof event.snapshot === "string") event.snapshot = 7;
  for (const item of objects(event)) {
    const { op, path, from, value } = item;
    if (op === "move" && from === "") item.path = "";
    if ((op === "move" || op === "copy") && path === "" && from !== "") item.path = "/copy";
    if (path === "" && typeof value === "string") item.value = 7;
  }
}

export function mutate(rng, events) {
  for (let left = rng.between(1, 4); left > 0 && events.length > 0; left--) {
    MUTATIONS[rng.weighted(WEIGHTS)](rng, events, rng.int(events.length));
  }
  events.forEach(keepComparable);
}
