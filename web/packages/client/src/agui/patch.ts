import {
  type IndexRules,
  isContainer,
  looseIndex,
  PatchError,
  readChild,
  readPath,
  readPointer,
  strictIndex,
  updatePath,
} from "./pointer.js";
import type { PatchOperation } from "./types.js";

export { isSafePointer } from "./pointer.js";

/**
 * Applies a JSON Patch (RFC 6902) by the rules of the official AG-UI client, which differ from the RFC in corner cases,
 * and returns the new document, which shares unchanged parts with the old one. Returns `undefined` if an operation
 * fails; the document is then unchanged.
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
  if (path.length > 0 && !isContainer(document)) {
    return applyToScalar(document, operation, path);
  }
  switch (operation.op) {
    case "add":
      return insert(document, path, readValue(operation), "strict", addPosition);
    case "replace":
      return replace(document, path, readValue(operation));
    case "remove":
      return path.length === 0 ? null : remove(document, path);
    case "test":
      if (isEqual(readPath(document, path, "loose"), readValue(operation))) return document;
      throw new PatchError("A tested value is another one.");
    case "copy": {
      const from = readPointer(operation.from);
      if (path.length === 0) return readUnchecked(document, from);
      const value = readPath(document, from, "strict");
      return insert(document, path, value, "loose", splicePosition);
    }
    case "move":
      return move(document, readPointer(operation.from), path);
    default:
      throw new PatchError("The operation is not known.");
  }
}

function readValue(operation: PatchOperation): unknown {
  if (operation.value === undefined) throw new PatchError("The operation has no value.");
  return operation.value;
}

/** Returns the position at which `add` inserts into an array. */
function addPosition(segment: string, length: number): number {
  if (segment !== "-" && looseIndex(segment) > length) {
    throw new PatchError("There is no such position.");
  }
  return splicePosition(segment, length);
}

/** Returns the position at which `Array.prototype.splice` inserts. */
function splicePosition(segment: string, length: number): number {
  if (segment === "-") return length;
  const index = looseIndex(segment);
  return index < 0 ? Math.max(0, length + index) : Math.min(index, length);
}

/** Inserts a value: as a member of an object, or before an item of an array. */
function insert(
  document: unknown,
  path: readonly string[],
  value: unknown,
  rules: IndexRules,
  position: (segment: string, length: number) => number,
): unknown {
  const last = path.at(-1);
  if (last === undefined) return value;
  return updatePath(document, path.slice(0, -1), rules, (parent) => {
    if (Array.isArray(parent)) return parent.toSpliced(position(last, parent.length), 0, value);
    if (!isContainer(parent)) throw new PatchError("There is nothing to insert into.");
    return { ...parent, [last]: value };
  });
}

function replace(document: unknown, path: readonly string[], value: unknown): unknown {
  return updatePath(document, path, "strict", () => value);
}

function remove(document: unknown, path: readonly string[]): unknown {
  const last = path.at(-1) ?? "";
  return updatePath(document, path.slice(0, -1), "strict", (parent) => {
    readChild(parent, last, "strict");
    if (Array.isArray(parent)) return parent.toSpliced(strictIndex(last), 1);
    const { [last]: _, ...rest } = parent as Record<string, unknown>;
    return rest;
  });
}

/**
 * Moves a value. The target is checked while the source is still there, then looked up again without checks: a value
 * that has no place any more is lost.
 */
function move(document: unknown, from: readonly string[], path: readonly string[]): unknown {
  let value: unknown;
  try {
    value = readPath(document, from, "strict");
  } catch (error) {
    if (path.length > 0) throw error;
    return readUnchecked(document, from);
  }
  insert(document, path, value, "loose", splicePosition);
  if (from.length === 0) {
    if (path.length === 0) return document;
    throw new PatchError("A value cannot be moved into itself.");
  }
  const rest = remove(document, from);
  const last = path.at(-1);
  if (last === undefined) return value;
  return updateUnchecked(rest, path.slice(0, -1), (parent) => {
    if (parent === null) throw new PatchError("There is nothing to insert into.");
    if (!isContainer(parent)) return parent;
    if (!Array.isArray(parent)) return { ...parent, [last]: value };
    if (!/^(?:-|\d*)$/.test(last)) return parent;
    return parent.toSpliced(splicePosition(last, parent.length), 0, value);
  });
}

/** Changes the value at a path, of which a part may lead into a text; then nothing is changed. */
function updateUnchecked(
  document: unknown,
  path: readonly string[],
  change: (value: unknown) => unknown,
): unknown {
  const end = path.findIndex(
    (_, length) => typeof readPath(document, path.slice(0, length), "loose") === "string",
  );
  if (end < 0) return updatePath(document, path, "loose", change);
  readUnit(readPath(document, path.slice(0, end), "loose") as string, path.slice(end));
  return document;
}

/** Returns the value at a path, which may lead to a character of a text. */
function readUnchecked(document: unknown, path: readonly string[]): unknown {
  let value = document;
  for (const [position, segment] of path.entries()) {
    if (typeof value === "string") return readUnit(value, path.slice(position));
    value = readChild(value, segment, "loose");
  }
  return value;
}

/** Returns a UTF-16 unit of a text by its index; further segments can only select its first unit. */
function readUnit(text: string, path: readonly string[]): string {
  const [first = "", ...rest] = path;
  const unit = text[strictIndex(first)];
  if (unit === undefined || rest.some((segment) => segment !== "0")) {
    throw new PatchError("There is no such value.");
  }
  return unit.isWellFormed() ? unit : "\ufffd";
}

/** Applies an operation below the root of a document that is no container. It never changes anything. */
function applyToScalar(document: unknown, operation: PatchOperation, path: string[]): unknown {
  const { op } = operation;
  if (op === "add" || op === "replace" || op === "test") readValue(operation);
  if (document === null || document === undefined || path.length !== 1) {
    throw new PatchError("There is nothing to change in.");
  }
  const readUnitAt = (at: string[]) => {
    if (typeof document !== "string" || at.length !== 1) {
      throw new PatchError("There is no such value.");
    }
    return readUnit(document, at);
  };
  if (op === "test") {
    if (readUnitAt(path) === operation.value) return document;
    throw new PatchError("A tested value is another one.");
  }
  if (op === "move" || op === "copy") {
    const from = readPointer(operation.from);
    if (from.length > 0 && (document || from.length !== 1)) readUnitAt(from);
  } else if (op !== "add" && document) {
    readUnitAt(path);
  }
  return document;
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
