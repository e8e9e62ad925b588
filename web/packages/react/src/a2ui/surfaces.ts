import { writePath } from "./dataModel.js";
import { type A2uiComponent, type A2uiSurfaceState, isRecord } from "./types.js";

/** Most surfaces at a time. */
export const MAX_SURFACES = 100;
/** Most components of one surface. */
export const MAX_COMPONENTS = 5_000;

/** Surfaces of an activity, and the operations that could not be applied, in words. */
export interface A2uiSurfaces {
  surfaces: readonly A2uiSurfaceState[];
  problems: readonly string[];
}

/** Applies the operations of an activity in their order. One that cannot be applied changes nothing. */
export function foldOperations(operations: readonly unknown[]): A2uiSurfaces {
  const surfaces = new Map<string, A2uiSurfaceState>();
  const problems: string[] = [];
  for (const operation of operations) {
    try {
      applyOperation(surfaces, operation);
    } catch (error) {
      problems.push((error as Error).message);
    }
  }
  return { surfaces: [...surfaces.values()], problems };
}

function applyOperation(surfaces: Map<string, A2uiSurfaceState>, operation: unknown): void {
  if (!isRecord(operation)) throw new Error("an operation is an object");
  if (isRecord(operation.createSurface)) {
    createSurface(surfaces, operation.createSurface);
  } else if (isRecord(operation.updateComponents)) {
    const surface = surfaceOf(surfaces, operation.updateComponents);
    surfaces.set(surface.id, updated(surface, operation.updateComponents.components));
  } else if (isRecord(operation.updateDataModel)) {
    const { path, value } = operation.updateDataModel;
    const surface = surfaceOf(surfaces, operation.updateDataModel);
    const data = writePath(surface.data, typeof path === "string" ? path : "/", value);
    surfaces.set(surface.id, { ...surface, data });
  } else if (isRecord(operation.deleteSurface)) {
    surfaces.delete(surfaceOf(surfaces, operation.deleteSurface).id);
  } else throw new Error("the operation is not known");
}

function createSurface(
  surfaces: Map<string, A2uiSurfaceState>,
  { surfaceId, catalogId }: Record<string, unknown>,
): void {
  const id = String(surfaceId);
  if (surfaces.has(id)) throw new Error(`surface ${id} exists already`);
  if (surfaces.size === MAX_SURFACES) throw new Error("there are too many surfaces");
  surfaces.set(id, { id, catalogId: String(catalogId), components: new Map(), data: {} });
}

function surfaceOf(
  surfaces: ReadonlyMap<string, A2uiSurfaceState>,
  { surfaceId }: Record<string, unknown>,
): A2uiSurfaceState {
  const surface = surfaces.get(String(surfaceId));
  if (!surface) throw new Error(`surface ${surfaceId} does not exist`);
  return surface;
}

function updated(surface: A2uiSurfaceState, sent: unknown): A2uiSurfaceState {
  const components = new Map(surface.components);
  for (const component of Array.isArray(sent) ? sent : []) {
    if (!isRecord(component) || typeof component.id !== "string") continue;
    if (typeof component.component !== "string") continue;
    components.set(component.id, component as unknown as A2uiComponent);
  }
  if (components.size > MAX_COMPONENTS) throw new Error(`surface ${surface.id} is too large`);
  return { ...surface, components };
}
