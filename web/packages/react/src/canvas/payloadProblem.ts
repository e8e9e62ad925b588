import type { ComponentName, UIPayload } from "./types.js";

type MemberType = "string" | "array" | "object" | "any";

/** Members that a renderer relies on. The server checks messages more strictly; agents behind a gateway send anything. */
const REQUIRED: Readonly<Record<ComponentName, Readonly<Record<string, MemberType>>>> = {
  chart: { title: "string", chartType: "string", labels: "array", datasets: "array" },
  table: { title: "string", headers: "array", rows: "array" },
  card: { title: "string", content: "any" },
  form: { title: "string", fields: "array", onSubmitActionId: "string" },
  list: { title: "string", items: "array" },
  timeline: { title: "string", events: "array" },
  calendar: { title: "string", events: "array" },
  kanban: { columns: "array" },
  map: { title: "string" },
  diff: { title: "string", current: "any", suggested: "any" },
  markdown: { text: "string" },
  custom: { name: "string", fallback: "string" },
};

/** Largest number of JSON values that a renderer accepts, as on the server. */
const MAX_NODES = 250_000;
/** Deepest nesting that a renderer accepts, as on the server. */
const MAX_DEPTH = 32;

/** Returns true for the name of a component that has a renderer. */
export function isComponentName(name: unknown): name is ComponentName {
  return typeof name === "string" && Object.hasOwn(REQUIRED, name);
}

/** Returns the reason a payload cannot be rendered, or `undefined` if it can. */
export function payloadProblem(payload: UIPayload): string | undefined {
  if (!isComponentName(payload.component)) return "This component is not known here.";
  const { data } = payload;
  if (typeof data !== "object" || data === null || Array.isArray(data)) {
    return "The component has no data.";
  }
  for (const [name, type] of Object.entries(REQUIRED[payload.component])) {
    const member = (data as Record<string, unknown>)[name];
    if (!hasType(member, type)) return `The field "${name}" is missing or has another type.`;
  }
  return isSmall(data) ? undefined : "The component is too large to be shown.";
}

function hasType(member: unknown, type: MemberType): boolean {
  if (type === "any") return member !== undefined;
  if (type === "array") return Array.isArray(member);
  return typeof member === type && member !== null;
}

function isSmall(data: unknown): boolean {
  let count = 0;
  const fits = (value: unknown, depth: number): boolean => {
    count += 1;
    if (count > MAX_NODES || depth > MAX_DEPTH) return false;
    if (typeof value !== "object" || value === null) return true;
    const members = Array.isArray(value) ? value : Object.values(value);
    return members.every((member) => fits(member, depth + 1));
  };
  return fits(data, 0);
}
