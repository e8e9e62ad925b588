import { useSyncExternalStore } from "react";

/** Themes; `system` follows the setting of the operating system. */
export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

/** Key in the local storage, which `theme.js` reads before the first paint. */
const THEME_KEY = "pincite.theme";
const listeners = new Set<() => void>();

function storedTheme(): Theme {
  const stored = localStorage.getItem(THEME_KEY);
  return THEMES.find((theme) => theme === stored) ?? "system";
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Returns the chosen theme. */
export function useTheme(): Theme {
  return useSyncExternalStore(subscribe, storedTheme);
}

/** Applies and remembers a theme. */
export function setTheme(theme: Theme): void {
  if (theme === "system") {
    localStorage.removeItem(THEME_KEY);
    delete document.documentElement.dataset.theme;
  } else {
    localStorage.setItem(THEME_KEY, theme);
    document.documentElement.dataset.theme = theme;
  }
  for (const listener of listeners) listener();
}
