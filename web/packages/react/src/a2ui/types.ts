/** Component of A2UI: its id, its name and the properties of that name. */
export interface A2uiComponent {
  readonly id: string;
  readonly component: string;
  readonly [property: string]: unknown;
}

/** Surface as the operations of an agent have built it. */
export interface A2uiSurfaceState {
  readonly id: string;
  readonly catalogId: string;
  readonly components: ReadonlyMap<string, A2uiComponent>;
  readonly data: unknown;
}

/** Event that a person causes on a surface, for the agent. */
export interface A2uiAction {
  name: string;
  surfaceId: string;
  sourceComponentId: string;
  context: Record<string, unknown>;
  /** ISO 8601. */
  timestamp: string;
}

/** True for an object that is not a list. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
