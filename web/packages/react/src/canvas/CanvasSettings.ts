import { type ComponentType, createContext, type ReactNode, useContext } from "react";
import type { CustomData } from "./types.js";

/** Parts of the canvas that depend on the application. */
export interface CanvasSettings {
  /** Renders an icon by its name, such as `trending-up`; `null` if there is none. */
  renderIcon?: (name: string) => ReactNode;
  /** Renderers of `custom` components by name. Others show their fallback. */
  customComponents?: Readonly<Record<string, ComponentType<{ data: CustomData }>>>;
}

const SettingsContext = createContext<CanvasSettings>({});

/** Provides the settings to all components below. */
export const CanvasSettingsProvider = SettingsContext.Provider;

/** Returns the settings of the application. */
export function useCanvasSettings(): CanvasSettings {
  return useContext(SettingsContext);
}
