// Loads the official packages under control: generated ids are minted in
// order, and console output is collected instead of printed.
import crypto from "node:crypto";
import { syncBuiltinESMExports } from "node:module";

process.env.NODE_ENV = "production";
delete process.env.SUPPRESS_TRANSFORMATION_WARNINGS;

let minted = 0;
crypto.randomUUID = () => `minted-${++minted}`;
// The uuid package imports randomUUID by name, so this has to come before it.
syncBuiltinESMExports();

let warnings = [];
console.warn = (...parts) => warnings.push(parts.map(String).join(" "));
console.error = () => {};
console.log = () => {};

/** Forgets the ids and warnings of the work before. */
export function reset() {
  minted = 0;
  warnings = [];
}

/** The warnings since the last reset, and how many ids were generated. */
export const collected = () => ({ warnings, minted });

export const client = await import("@ag-ui/client");
export const proto = await import("@ag-ui/proto");
export const { EventEncoder } = await import("@ag-ui/encoder");
export const { default: jsonpatch } = await import("fast-json-patch");
export const { Subject } = await import("rxjs");

/** A copy as it would cross the wire: plain JSON, no undefined members. */
export const copy = (value) =>
  value === undefined ? undefined : JSON.parse(JSON.stringify(value));
