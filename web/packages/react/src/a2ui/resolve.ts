import { readPath } from "./dataModel.js";
import { parseTemplate } from "./expression.js";
import { callFunction, plainText } from "./functions.js";
import { isRecord } from "./types.js";

/** Most items that a template is repeated for. */
export const MAX_TEMPLATE_ITEMS = 10_000;
/** Deepest nesting of calls in one value. */
const MAX_DEPTH = 16;

/** Data of a surface, and the place that relative paths start from: "" or the item of a template. */
export interface DataScope {
  readonly data: unknown;
  readonly base: string;
}

/** Returns the absolute form of a path. */
export function absolutePath(path: string, scope: DataScope): string {
  return path.startsWith("/") ? path : `${scope.base}/${path}`;
}

/** Returns a literal, binding or call as a value. A call that fails gives its reason as text. */
export function resolve(value: unknown, scope: DataScope, depth = 0): unknown {
  if (!isRecord(value) || depth > MAX_DEPTH) return isRecord(value) ? undefined : value;
  if (typeof value.path === "string") return readPath(scope.data, absolutePath(value.path, scope));
  if (typeof value.call !== "string") return value;
  try {
    return call(value.call, value.args, scope, depth);
  } catch (error) {
    return `[${(error as Error).message}]`;
  }
}

function call(name: string, args: unknown, scope: DataScope, depth: number): unknown {
  const inner = (value: unknown): unknown =>
    Array.isArray(value)
      ? value.map((item) => resolve(item, scope, depth + 1))
      : resolve(value, scope, depth + 1);
  const entries = Object.entries(isRecord(args) ? args : {});
  const resolved = Object.fromEntries(entries.map(([key, value]) => [key, inner(value)]));
  if (name !== "formatString") return callFunction(name, resolved);
  const parts = parseTemplate(plainText(resolved.value));
  return parts.map((part) => plainText(resolve(part, scope, depth + 1))).join("");
}

/** Returns the text of a property. */
export function textOf(value: unknown, scope: DataScope): string {
  return plainText(resolve(value, scope));
}

/** Child of a component: its id, and the data it is bound to. */
export interface ChildReference {
  key: string;
  id: string;
  scope: DataScope;
}

/** Returns the children of a property: ids, or one component repeated for each item of a list in the data. */
export function childrenOf(value: unknown, scope: DataScope): ChildReference[] {
  if (typeof value === "string") return [{ key: value, id: value, scope }];
  if (Array.isArray(value)) {
    return value.map((id, index) => ({ key: `${index}:${id}`, id: String(id), scope }));
  }
  if (!isRecord(value) || typeof value.path !== "string") return [];
  const path = absolutePath(value.path, scope).replace(/\/+$/, "");
  const list = readPath(scope.data, path);
  const keys = Array.isArray(list) ? [...list.keys()].map(String) : Object.keys(list ?? {});
  return keys.slice(0, MAX_TEMPLATE_ITEMS).map((key) => ({
    key,
    id: String(value.componentId),
    scope: { data: scope.data, base: `${path}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}` },
  }));
}
