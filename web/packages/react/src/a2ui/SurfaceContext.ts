import { createContext, useContext } from "react";
import type { A2uiComponent, A2uiSurfaceState } from "./types.js";

/** Surface that components are rendered on. */
export interface SurfaceContextValue {
  surface: A2uiSurfaceState;
  /** Writes what a person entered at an absolute path of the data. */
  onInput: (path: string, value: unknown) => void;
  /** Sends an event to the agent; without it, buttons are disabled. */
  onEvent:
    | ((component: A2uiComponent, name: string, context: Record<string, unknown>) => void)
    | undefined;
}

export const SurfaceContext = createContext<SurfaceContextValue | undefined>(undefined);

/** Returns the surface. Components are only rendered on one. */
export function useSurface(): SurfaceContextValue {
  const value = useContext(SurfaceContext);
  if (value === undefined) throw new Error("components of A2UI are rendered on a surface");
  return value;
}
