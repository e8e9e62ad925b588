/** Operation of a patch that cannot be applied. */
export class PatchError extends Error {}

/** Grammar of array indexes: digits without leading zeros (RFC 6901), or any digits, even none, as in JavaScript. */
export type IndexRules = "strict" | "loose";

/** Object or array. */
export type Container = unknown[] | Record<string, unknown>;

/** Returns true for objects and arrays. */
export function isContainer(value: unknown): value is Container {
  return typeof value === "object" && value !== null;
}

/** Returns true if no segment of the pointer reaches the prototype of an object. */
export function isSafePointer(pointer: string): boolean {
  const segments = pointer.split("/").map(unescapeSegment);
  return !segments.some(
    (segment, position) =>
      segment === "__proto__" ||
      (segment === "prototype" && segments[position - 1] === "constructor"),
  );
}

/** Returns the unescaped segments of a JSON Pointer. */
export function readPointer(pointer: unknown): string[] {
  if (typeof pointer !== "string" || !isSafePointer(pointer)) {
    throw new PatchError("The pointer is not allowed.");
  }
  if (pointer === "") return [];
  if (!pointer.startsWith("/")) throw new PatchError("A pointer begins with a slash.");
  return pointer.slice(1).split("/").map(unescapeSegment);
}

function unescapeSegment(segment: string): string {
  return segment.replaceAll("~1", "/").replaceAll("~0", "~");
}

/** Returns the index that a segment names by the rules of the RFC. */
export function strictIndex(segment: string): number {
  if (!/^(?:0|[1-9]\d*)$/.test(segment)) throw new PatchError("A position is a number.");
  return Number(segment);
}

/** Returns the index that JavaScript reads: any digits, truncated to 32 bits, so it can be negative. */
export function looseIndex(segment: string): number {
  if (!/^\d*$/.test(segment)) throw new PatchError("A position is a number.");
  return ~~Number(segment);
}

/** Returns the member or item that a segment names. */
export function readChild(parent: unknown, segment: string, rules: IndexRules): unknown {
  if (Array.isArray(parent)) {
    const isEnd = segment === "-";
    const index = isEnd ? -1 : rules === "strict" ? strictIndex(segment) : looseIndex(segment);
    if (index < 0 || index >= parent.length) throw new PatchError("There is no such position.");
    return parent[index];
  }
  if (!isContainer(parent) || !Object.hasOwn(parent, segment)) {
    throw new PatchError("There is no such value.");
  }
  return (parent as Record<string, unknown>)[segment];
}

/** Returns the value at a path. */
export function readPath(document: unknown, path: readonly string[], rules: IndexRules): unknown {
  return path.reduce((value, segment) => readChild(value, segment, rules), document);
}

/**
 * Replaces the container at a path by the result of a function. Containers on the way are copied; all else is shared
 * with the old document.
 */
export function updatePath(
  document: unknown,
  path: readonly string[],
  rules: IndexRules,
  change: (value: unknown) => unknown,
): unknown {
  const [segment, ...rest] = path;
  if (segment === undefined) return change(document);
  const child = updatePath(readChild(document, segment, rules), rest, rules, change);
  if (!Array.isArray(document)) return { ...(document as Container), [segment]: child };
  return document.with(rules === "strict" ? strictIndex(segment) : looseIndex(segment), child);
}
