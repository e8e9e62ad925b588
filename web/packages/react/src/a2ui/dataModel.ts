import { isRecord } from "./types.js";

/** Largest index that a write may create. */
const MAX_INDEX = 10_000;
/** Names with a meaning of their own in JavaScript. */
const RESERVED = new Set(["__proto__", "constructor", "prototype"]);

/** Segments of a JSON Pointer. Empty ones are skipped, so "/" and "" are the root. */
function segments(path: string): string[] {
  return path
    .split("/")
    .filter((segment) => segment !== "")
    .map((segment) => segment.replaceAll("~1", "/").replaceAll("~0", "~"));
}

function indexOf(segment: string): number | undefined {
  return /^(0|[1-9]\d*)$/.test(segment) ? Number(segment) : undefined;
}

/** Returns the value at an absolute path, or `undefined`. */
export function readPath(data: unknown, path: string): unknown {
  let value = data;
  for (const segment of segments(path)) {
    if (Array.isArray(value)) {
      const index = indexOf(segment);
      value = index === undefined ? undefined : value[index];
    } else if (isRecord(value) && Object.hasOwn(value, segment)) {
      value = value[segment];
    } else return undefined;
  }
  return value;
}

/**
 * Returns a copy of the data with a value at an absolute path; `undefined` removes it. Places that are missing on the
 * way are created. Throws if the path leads through a plain value or names an impossible place of a list.
 */
export function writePath(data: unknown, path: string, value: unknown): unknown {
  const names = segments(path);
  const reserved = names.find((name) => RESERVED.has(name));
  if (reserved !== undefined) throw new Error(`"${reserved}" is a reserved name`);
  if (names.length === 0) return value === undefined ? {} : value;
  if (value === undefined && readPath(data, path) === undefined) return data;
  return writeAt(data, names, value);
}

function writeAt(place: unknown, names: readonly string[], value: unknown): unknown {
  const [name, ...rest] = names as [string, ...string[]];
  const container = place ?? (indexOf(name) === undefined ? {} : []);
  if (Array.isArray(container)) {
    const index = indexOf(name);
    if (index === undefined || index > MAX_INDEX) throw new Error(`"${name}" is not an index`);
    const items = [...container];
    while (items.length < index) items.push(null);
    items[index] = rest.length > 0 ? writeAt(items[index], rest, value) : (value ?? null);
    return items;
  }
  if (!isRecord(container)) throw new Error(`"${name}" cannot be written below a plain value`);
  const { [name]: current, ...others } = container;
  if (rest.length === 0 && value === undefined) return others;
  return { ...container, [name]: rest.length > 0 ? writeAt(current, rest, value) : value };
}
