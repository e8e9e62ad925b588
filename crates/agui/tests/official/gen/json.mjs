// Random plain JSON: texts, opaque values, metadata.

const TEXTS = [
  "a",
  "beta",
  "x y",
  "é",
  "漢字",
  "😀",
  "line\nbreak",
  '"q"',
  "\\",
  "{",
  "\u2028",
  "\t",
];
const KEYS = ["a", "b", "key", "é", "n.m", "nested", "with space", "😀", "ag-ui"];
const NUMBERS = [0, 1, -1, 2.5, 1e-7, 42, 1234567890123, 9007199254740991, -0.125];

export const word = (rng) => rng.pick(TEXTS);

/** Text as it streams: sometimes empty, sometimes several words. */
export const text = (rng) => rng.list(0, 3, () => word(rng)).join(rng.pick(["", " "]));

export function scalar(rng) {
  const kind = rng.weighted({ text: 4, number: 3, flag: 1, null: 1 });
  if (kind === "text") return text(rng);
  if (kind === "number") return rng.pick(NUMBERS);
  return kind === "flag" ? rng.chance(0.5) : null;
}

export function value(rng, depth = 3) {
  if (depth === 0 || rng.chance(0.5)) return scalar(rng);
  return rng.chance(0.5) ? rng.list(0, 3, () => value(rng, depth - 1)) : object(rng, depth - 1);
}

export function object(rng, depth = 2, low = 0) {
  const keys = rng.list(low, 3, () => rng.pick(KEYS));
  return Object.fromEntries(keys.map((key) => [key, value(rng, depth)]));
}

/** Any JSON but null. */
export const nonNull = (rng, depth = 2) => value(rng, depth) ?? rng.pick(NUMBERS);

/** A copy without undefined members. */
export const clean = (data) => JSON.parse(JSON.stringify(data));

/** A copy with all members in sorted order. */
export function sorted(data) {
  if (Array.isArray(data)) return data.map(sorted);
  if (typeof data !== "object" || data === null) return data;
  return Object.fromEntries(
    Object.keys(data)
      .sort()
      .map((key) => [key, sorted(data[key])]),
  );
}
