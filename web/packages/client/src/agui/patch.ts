import { immutableJSONPatch, type JSONPatchDocument } from "immutable-json-patch";
import type { PatchOperation } from "./types.js";

/** Member names that reach the prototype of an object. */
const UNSAFE_SEGMENTS = new Set(["__proto__", "constructor", "prototype"]);

/** Returns true if no segment of the pointer is a name that reaches the prototype of an object. */
export function isSafePointer(pointer: string): boolean {
  return !pointer.split("/").some((segment) => UNSAFE_SEGMENTS.has(segment));
}

/**
 * Applies a JSON Patch and returns the new document, which shares unchanged parts with the old one.
 * Returns `undefined` if an operation fails; the document is then unchanged.
 */
export function applyPatch(document: unknown, patch: unknown): { document: unknown } | undefined {
  if (!Array.isArray(patch)) return undefined;
  const operations = patch as PatchOperation[];
  const isSafe = operations.every(
    (operation) =>
      typeof operation?.path === "string" &&
      isSafePointer(operation.path) &&
      (operation.from === undefined || isSafePointer(operation.from)),
  );
  if (!isSafe) return undefined;
  try {
    return { document: applyOperations(document, operations) };
  } catch {
    return undefined;
  }
}

function applyOperations(document: unknown, operations: PatchOperation[]): unknown {
  let result = document;
  for (const operation of operations) {
    // The library treats the root as a member of nothing, so it is handled here.
    if (operation.path === "" && (operation.op === "add" || operation.op === "replace")) {
      result = operation.value;
      continue;
    }
    result = immutableJSONPatch(result, [operation] as JSONPatchDocument);
  }
  return result;
}
