import type { PatchOperation } from "./types.js";

/** Member names that reach the prototype of an object. */
const UNSAFE_SEGMENTS = new Set(["__proto__", "constructor", "prototype"]);

/** Returns true if no segment of the pointer is a name that reaches the prototype of an object. */
export function isSafePointer(pointer: string): boolean {
  return !pointer.split("/").some((segment) => UNSAFE_SEGMENTS.has(segment));
}

/** Operation of a patch that cannot be applied. */
class PatchError extends Error {}

/**
 * Applies a JSON Patch (RFC 6902) and returns the new document, which shares unchanged parts with the old one. Returns
 * `undefined` if an operation fails; the document is then unchanged.
 */
export function applyPatch(document: unknown, patch: unknown): { document: unknown } | undefined {
  if (!Array.isArray(patch)) return undefined;
  try {
    return { document: (patch as PatchOperation[]).reduce(applyOperation, document) };
  } catch (error) {
    if (error instanceof PatchError) return undefined;
    throw error;
  }
}

function applyOperation(document: unknown, operation: PatchOperation): unknown {
  const path = readPointer(operation.path);
  switch (operation.op) {
    case "add":
      return add(document, path, operation.value);
    case "replace":
      read(document, path);
      return path.length === 0 ? operation.value : update(document, path, () => operation.value);
    case "remove":
      return remove(document, path);
    case "move": {
      const from = readPointer(operation.from);
      const isInside = path.length > from.length && from.every((name, at) => path[at] === name);
      if (isInside) throw new PatchError("A value cannot be moved into itself.");
      return add(remove(document, from), path, read(document, from));
    }
    case "copy":
      return add(document, path, read(document, readPointer(operation.from)));
    case "test":
      if (isEqual(read(document, path), operation.value)) return document;
      throw new PatchError("A tested value is another one.");
    default:
      throw new PatchError("The operation is not known.");
  }
}

function readPointer(pointer: unknown): string[] {
  if (typeof pointer !== "string" || !isSafePointer(pointer)) {
    throw new PatchError("The pointer is not allowed.");
  }
  if (pointer === "") return [];
  if (!pointer.startsWith("/")) throw new PatchError("A pointer begins with a slash.");
  const segments = pointer.slice(1).split("/");
  return segments.map((segment) => segment.replaceAll("~1", "/").replaceAll("~0", "~"));
}

type Container = unknown[] | Record<string, unknown>;

function isContainer(value: unknown): value is Container {
  return typeof value === "object" && value !== null;
}

/** Returns the position in an array, or fails. `last` is the highest allowed one. */
function readIndex(name: string, last: number): number {
  if (!/^\d+$/.test(name) || Number(name) > last)
    throw new PatchError("There is no such position.");
  return Number(name);
}

function read(document: unknown, path: readonly string[]): unknown {
  let value = document;
  for (const name of path) {
    if (Array.isArray(value)) value = value[readIndex(name, value.length - 1)];
    else value = readMember(value, name);
  }
  return value;
}

function readMember(value: unknown, name: string): unknown {
  if (!isContainer(value) || !Object.hasOwn(value, name)) {
    throw new PatchError("There is no such value.");
  }
  return (value as Record<string, unknown>)[name];
}

/** Replaces the value at a path by the result of a function. Containers on the way are copied. */
function update(
  document: unknown,
  path: readonly string[],
  change: (value: unknown) => unknown,
): unknown {
  const [name, ...rest] = path;
  if (name === undefined) return change(document);
  if (Array.isArray(document)) {
    const copy = [...document];
    const index = readIndex(name, copy.length - 1);
    copy[index] = update(copy[index], rest, change);
    return copy;
  }
  const member = readMember(document, name);
  return { ...(document as Container), [name]: update(member, rest, change) };
}

/** Changes the container that holds the last name of a path. */
function updateParent(
  document: unknown,
  path: readonly string[],
  change: (parent: Container, name: string) => Container,
): unknown {
  const name = path.at(-1) ?? "";
  return update(document, path.slice(0, -1), (parent) => {
    if (!isContainer(parent)) throw new PatchError("There is nothing to change in.");
    return change(parent, name);
  });
}

function add(document: unknown, path: readonly string[], value: unknown): unknown {
  if (path.length === 0) return value;
  // As in the official client, a member cannot be added to a document that is a number, text or truth value.
  if (document !== null && !isContainer(document)) return document;
  return updateParent(document, path, (parent, name) => {
    if (!Array.isArray(parent)) return { ...parent, [name]: value };
    return parent.toSpliced(
      name === "-" ? parent.length : readIndex(name, parent.length),
      0,
      value,
    );
  });
}

function remove(document: unknown, path: readonly string[]): unknown {
  if (path.length === 0) return null;
  return updateParent(document, path, (parent, name) => {
    if (Array.isArray(parent)) return parent.toSpliced(readIndex(name, parent.length - 1), 1);
    if (!Object.hasOwn(parent, name)) throw new PatchError("There is no such value.");
    const { [name]: _, ...rest } = parent;
    return rest;
  });
}

function isEqual(left: unknown, right: unknown): boolean {
  if (!isContainer(left) || !isContainer(right)) return left === right;
  if (Array.isArray(left) !== Array.isArray(right)) return false;
  const [names, others] = [Object.keys(left), Object.keys(right)];
  const [a, b] = [left as Record<string, unknown>, right as Record<string, unknown>];
  return (
    names.length === others.length &&
    names.every((name) => Object.hasOwn(b, name) && isEqual(a[name], b[name]))
  );
}
