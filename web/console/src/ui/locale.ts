import { useSyncExternalStore } from "react";

/** Key in the local storage. */
const LOCALE_KEY = "pincite.locale";

/** Languages of dates and numbers that can be chosen, besides that of the browser. */
export const LOCALES: Readonly<Record<string, string>> = {
  "en-GB": "English (United Kingdom)",
  "en-US": "English (United States)",
  "de-DE": "Deutsch",
  "es-ES": "Español",
  "fr-FR": "Français",
  "it-IT": "Italiano",
  "nl-NL": "Nederlands",
  "nb-NO": "Norsk bokmål",
  "pl-PL": "Polski",
  "pt-BR": "Português (Brasil)",
  "sv-SE": "Svenska",
  "ja-JP": "日本語",
  "zh-CN": "中文（简体）",
};

let chosen = readLocale();
const listeners = new Set<() => void>();

function readLocale(): string | undefined {
  // Unit tests of formats run without a browser.
  if (typeof localStorage === "undefined") return undefined;
  const stored = localStorage.getItem(LOCALE_KEY);
  return stored !== null && Object.hasOwn(LOCALES, stored) ? stored : undefined;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Returns the language of dates and numbers; `undefined` is that of the browser. */
export function currentLocale(): string | undefined {
  return chosen;
}

/** Returns the language of dates and numbers, and renders again when it changes. */
export function useLocale(): string | undefined {
  return useSyncExternalStore(subscribe, currentLocale);
}

/** Applies and remembers a language; `undefined` follows the browser. */
export function setLocale(locale: string | undefined): void {
  chosen = locale;
  if (locale === undefined) localStorage.removeItem(LOCALE_KEY);
  else localStorage.setItem(LOCALE_KEY, locale);
  for (const listener of listeners) listener();
}
