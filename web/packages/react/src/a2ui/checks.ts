import { type DataScope, resolve } from "./resolve.js";
import { isRecord } from "./types.js";

/** Returns the message of the first check that fails. */
export function failedCheck(checks: unknown, scope: DataScope): string | undefined {
  const failed = (Array.isArray(checks) ? checks : []).find(
    (check) => isRecord(check) && !resolve(check.condition, scope),
  );
  return failed === undefined ? undefined : String(failed.message ?? "This is not valid.");
}
