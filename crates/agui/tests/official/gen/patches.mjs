// Random documents and JSON patches for them.
//
// Left out on purpose, because our engine differs from fast-json-patch there:
// root copy or move from a missing path, a move of the root into a child (the
// library then builds a cycle), indices into a root string, inherited names.
import jsonpatch from "fast-json-patch";
import { sorted } from "./json.mjs";

const KEYS = ["a", "b", "c", "list", "", "a/b", "m~n", "~1", "0", "01", "-", "é", " "];
const INDICES = ["0", "1", "2", "3", "9", "01", "00", "-", "-1", "+1", "1.0", "x", ""];
const SCALARS = [null, true, false, 0, 1, -2.5, "", "s", "é"];

const escape = (key) => key.replaceAll("~", "~0").replaceAll("/", "~1");
const isContainer = (node) => typeof node === "object" && node !== null;

function node(rng, depth) {
  if (depth === 0 || rng.chance(0.35)) return rng.pick(SCALARS);
  if (rng.chance(0.45)) return rng.list(0, 4, () => node(rng, depth - 1));
  const keys = rng.list(0, 4, () => rng.pick(KEYS));
  return Object.fromEntries(keys.map((key) => [key, node(rng, depth - 1)]));
}

/** A document: mostly an object or a list, at times a bare scalar. */
export function document(rng, { strings = true } = {}) {
  if (!rng.chance(0.08)) return rng.chance(0.25) ? rng.list(0, 4, () => node(rng, 2)) : record(rng);
  const scalar = rng.pick(SCALARS);
  return typeof scalar === "string" && !strings ? 7 : scalar;
}

export function record(rng) {
  const keys = rng.list(1, 4, () => rng.pick(KEYS));
  return Object.fromEntries(keys.map((key) => [key, node(rng, 2)]));
}

/** All pointers into a document, the root included. */
function pointers(data, at = "") {
  if (!isContainer(data)) return [at];
  const entries = Object.entries(data);
  return [at, ...entries.flatMap(([key, child]) => pointers(child, `${at}/${escape(key)}`))];
}

/** What a pointer leads to, undefined if it leads nowhere. */
function lookup(data, pointer) {
  let current = data;
  for (const raw of pointer.split("/").slice(1)) {
    const key = raw.replaceAll("~1", "/").replaceAll("~0", "~");
    if (!isContainer(current) || !Object.hasOwn(current, key)) return undefined;
    current = current[key];
  }
  return current;
}

function path(rng, data) {
  const known = pointers(data);
  const existing = rng.pick(known);
  const kind = rng.weighted({ existing: 6, child: 5, index: 3, deep: 1, banned: 0.3 });
  if (kind === "existing") return existing;
  if (kind === "banned") {
    return existing + rng.pick(["/__proto__", "/__proto__/x", "/constructor/prototype"]);
  }
  const lists = known.filter((pointer) => Array.isArray(lookup(data, pointer)));
  if (kind === "index" && lists.length > 0) return `${rng.pick(lists)}/${rng.pick(INDICES)}`;
  const child = `${existing}/${escape(rng.pick(KEYS))}`;
  return kind === "deep" ? `${child}/${rng.pick(INDICES)}` : child;
}

function operation(rng, data, rootCopies) {
  const op = rng.weighted({ add: 5, replace: 3, remove: 3, test: 3, move: 2, copy: 2 });
  const made = { op, path: path(rng, data) };
  if (op === "move" || op === "copy") {
    made.from = rng.chance(0.85) ? rng.pick(pointers(data)) : path(rng, data);
    if (op === "move" && rng.chance(0.15)) made.path = `${made.from}/${rng.pick(INDICES)}`;
    if (op === "move" && made.from === "") made.path = "";
    if (made.path === "" && made.from !== "" && !rootCopies) made.path = "/copy";
    if (made.path === "" && lookup(data, made.from) === undefined) made.from = "";
  } else if (op === "test") {
    const found = lookup(data, made.path);
    made.value = found !== undefined && rng.chance(0.75) ? sorted(found) : node(rng, 1);
  } else if (op !== "remove") {
    made.value = node(rng, 2);
  }
  if (rng.chance(0.03)) made[op === "remove" ? "value" : "extra"] = null;
  return made;
}

/** Whether an operation reaches into a root string by index. */
const stringIndex = (data, { path: to, from = "" }) =>
  typeof data === "string" && [to, from].some((pointer) => /^\/\d/.test(pointer));

/**
 * A patch for `data`, and the document after it (unchanged if it fails).
 * `rootCopies` allows copies to the root from an existing place; leave it off
 * when the document may turn out to be another one.
 */
export function patchFor(rng, data, { rootCopies = true, strings = true } = {}) {
  const patch = [];
  let current = structuredClone(data);
  let failed = false;
  const length = rng.weighted({ 0: 1, 1: 8, 2: 6, 3: 3, 5: 1 });
  while (patch.length < Number(length)) {
    const next = operation(rng, current, rootCopies);
    if (stringIndex(current, next)) continue;
    if (!strings && next.path === "" && typeof next.value === "string") continue;
    let after = null;
    try {
      after = jsonpatch.applyPatch(current, structuredClone([next]), true, false);
    } catch {
      // Most patches should work, so a failing operation is often dropped.
      if (rng.chance(0.6)) continue;
      failed = true;
    }
    patch.push(next);
    if (after) current = after.newDocument;
  }
  return { patch, after: failed ? data : current };
}
