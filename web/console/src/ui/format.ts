import { currentLocale } from "./locale.js";

/** Returns a number with the separators of the person's language. */
export function formatNumber(value: number, options?: Intl.NumberFormatOptions): string {
  return value.toLocaleString(currentLocale(), options);
}

/** Returns a duration in words: `0.2 s`, `12 s`, `3 min`. */
export function formatDuration(milliseconds: number): string {
  const seconds = milliseconds / 1000;
  if (seconds < 10) {
    return `${seconds.toLocaleString(currentLocale(), { minimumFractionDigits: 1, maximumFractionDigits: 1 })} s`;
  }
  if (seconds < 120) return `${formatNumber(Math.round(seconds))} s`;
  return `${formatNumber(Math.round(seconds / 60))} min`;
}

/** Returns JSON with line breaks, or the text itself if it is not JSON. */
export function formatJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** Returns a size in bytes with its unit. */
export function formatBytes(bytes: number): string {
  const units = ["byte", "kilobyte", "megabyte", "gigabyte"];
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return value.toLocaleString(currentLocale(), {
    style: "unit",
    unit: units[unit] ?? "byte",
    maximumFractionDigits: value < 10 && unit > 0 ? 1 : 0,
  });
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Returns a time relative to now up to a day, then a date. */
export function formatTime(time: string | number | Date, now: number = Date.now()): string {
  const date = new Date(time);
  const past = now - date.getTime();
  if (Number.isNaN(past)) return "";
  const relative = new Intl.RelativeTimeFormat(currentLocale(), { numeric: "auto" });
  if (past < MINUTE) return relative.format(0, "second");
  if (past < HOUR) return relative.format(-Math.floor(past / MINUTE), "minute");
  if (past < DAY) return relative.format(-Math.floor(past / HOUR), "hour");
  return date.toLocaleDateString(currentLocale(), { dateStyle: "medium" });
}
