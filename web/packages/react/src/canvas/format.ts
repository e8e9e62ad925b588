import type { CellKind, ChartOptions } from "./types.js";

/** Date, or date and time, in ISO 8601. */
const ISO_DATE =
  /^\d{4}-\d{2}(?:-\d{2})?(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/;

const numberFormats = new Map<string, Intl.NumberFormat>();

function numberFormat(key: string, options: Intl.NumberFormatOptions): Intl.NumberFormat {
  let format = numberFormats.get(key);
  if (!format) {
    format = new Intl.NumberFormat(undefined, options);
    numberFormats.set(key, format);
  }
  return format;
}

/** Formats a number in the person's language. */
export function formatNumber(value: number): string {
  if (!Number.isFinite(value)) return "–";
  return numberFormat("decimal", { maximumFractionDigits: 6 }).format(value);
}

/** Formats a number that is already a percentage: 12.5 becomes 12.5 %. */
export function formatPercent(value: number): string {
  return numberFormat("percent", {
    style: "unit",
    unit: "percent",
    maximumFractionDigits: 2,
  }).format(value);
}

/** Formats an amount of money; with an unknown currency as a number with two decimals. */
export function formatCurrency(value: number, currency?: string): string {
  if (currency !== undefined && /^[A-Za-z]{3}$/.test(currency)) {
    try {
      return numberFormat(`currency ${currency}`, { style: "currency", currency }).format(value);
    } catch {
      // The currency is not known to the browser.
    }
  }
  return numberFormat("money", { minimumFractionDigits: 2, maximumFractionDigits: 2 }).format(
    value,
  );
}

/** Returns the function that formats the values of a chart. */
export function chartNumberFormat(options: ChartOptions | undefined): (value: number) => string {
  switch (options?.numberFormat) {
    case "percent":
      return formatPercent;
    case "currency":
      return (value) => formatCurrency(value, options.currency);
    default:
      return formatNumber;
  }
}

/** Formats a number briefly, for axes: 12,000 becomes 12K. */
export function formatShort(value: number): string {
  return numberFormat("short", { notation: "compact", maximumFractionDigits: 2 }).format(value);
}

/** Returns true for a date, or date and time, in ISO 8601. */
export function isDate(text: unknown): text is string {
  return typeof text === "string" && ISO_DATE.test(text) && parseDate(text) !== undefined;
}

/** Reads a date in ISO 8601. A date without a time is a day of the person's calendar. */
export function parseDate(text: string): Date | undefined {
  if (!ISO_DATE.test(text)) return undefined;
  const day = /^(\d{4})-(\d{2})(?:-(\d{2}))?$/.exec(text);
  const date = day
    ? new Date(Number(day[1]), Number(day[2]) - 1, Number(day[3] ?? 1))
    : new Date(text.replace(" ", "T"));
  return Number.isNaN(date.getTime()) ? undefined : date;
}

/** Formats a date: with its time if it has one. */
export function formatDate(text: string): string {
  const date = parseDate(text);
  if (!date) return text;
  const hasTime = /\d{2}:\d{2}/.test(text);
  return date.toLocaleString(undefined, {
    dateStyle: "medium",
    ...(hasTime ? { timeStyle: "short" } : {}),
  });
}

/** Parts of a date by the name of the format. */
const DATE_FORMATS: Readonly<Record<string, Intl.DateTimeFormatOptions>> = {
  year: { year: "numeric" },
  month: { year: "numeric", month: "short" },
  day: { month: "short", day: "numeric" },
  short: { dateStyle: "short" },
  medium: { dateStyle: "medium" },
  long: { dateStyle: "long" },
  time: { timeStyle: "short" },
};

/** Returns the function that formats the labels of a chart: dates in the person's language, others unchanged. */
export function labelFormat(
  labels: readonly unknown[],
  options: ChartOptions | undefined,
): (label: unknown) => string {
  if (labels.length === 0 || !labels.every(isDate)) return (label) => plainText(label);
  const name =
    options?.dateFormat ?? (labels.every((label) => label.length === 7) ? "month" : "medium");
  const format = new Intl.DateTimeFormat(undefined, DATE_FORMATS[name] ?? DATE_FORMATS.medium);
  return (label) => {
    const date = typeof label === "string" ? parseDate(label) : undefined;
    return date ? format.format(date) : plainText(label);
  };
}

/** Formats a cell of a table. */
export function formatCell(value: unknown, kind: CellKind | undefined): string {
  if (typeof value === "boolean") return value ? "Yes" : "No";
  if (typeof value === "number") {
    if (kind === "percent") return formatPercent(value);
    if (kind === "currency") return formatCurrency(value);
    return formatNumber(value);
  }
  if (kind === "date" && typeof value === "string") return formatDate(value);
  return plainText(value);
}

/** Returns any value as text. */
export function plainText(value: unknown): string {
  if (typeof value === "string") return value;
  if (value === undefined || value === null) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
