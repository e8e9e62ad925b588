import { isRecord } from "./types.js";

type FunctionArguments = Readonly<Record<string, unknown>>;

/** Conventions of numbers and dates, which A2UI takes as its default. */
const LOCALE = "en-US";
/** Longest text that a pattern of an agent is tried on, in characters. */
const MAX_PATTERN_INPUT = 1_000;

/** Returns a value as it is shown: nothing for null, JSON for objects and lists. */
export function plainText(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

function toNumber(value: unknown): number | undefined {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : undefined;
}

function within(value: number, { min, max }: FunctionArguments): boolean {
  const [low, high] = [toNumber(min), toNumber(max)];
  return (low === undefined || value >= low) && (high === undefined || value <= high);
}

/** Returns true if a pattern contains nothing that can take exponential time: repetition of a group, references. */
function isPlainPattern(pattern: string): boolean {
  return pattern.length <= 500 && !/\)[*+{?]|\\[1-9]|\(\?[=!<]/.test(pattern);
}

function matchesPattern({ value, pattern }: FunctionArguments): boolean {
  const source = plainText(pattern);
  if (!isPlainPattern(source)) throw new Error("this pattern cannot be used here");
  return new RegExp(source, "u").test(plainText(value).slice(0, MAX_PATTERN_INPUT));
}

function formatNumber({ value, decimals, grouping }: FunctionArguments, currency?: string): string {
  const number = toNumber(value);
  if (number === undefined) return plainText(value);
  const digits = toNumber(decimals) ?? (currency === undefined ? undefined : 2);
  const count = digits === undefined ? undefined : Math.min(Math.max(Math.trunc(digits), 0), 20);
  return new Intl.NumberFormat(LOCALE, {
    useGrouping: grouping === undefined || Boolean(grouping),
    ...(count === undefined ? {} : { minimumFractionDigits: count, maximumFractionDigits: count }),
    ...(currency === undefined ? {} : { style: "currency", currency }),
  }).format(number);
}

function formatCurrency(args: FunctionArguments): string {
  const code = plainText(args.currency || "USD").toUpperCase();
  return /^[A-Z]{3}$/.test(code) ? formatNumber(args, code) : formatNumber(args);
}

const MONTHS =
  "January February March April May June July August September October November December".split(
    " ",
  );
const DAYS = "Sunday Monday Tuesday Wednesday Thursday Friday Saturday".split(" ");

function formatDate({ value, format }: FunctionArguments): string {
  const text = plainText(value);
  // A text without a zone is read as UTC, like one with it, so that a page looks the same everywhere.
  const isLocal = typeof value === "string" && /T[\d:.]+$/.test(text);
  const moment = new Date(typeof value === "number" ? value : isLocal ? `${text}Z` : text);
  if (text === "" || Number.isNaN(moment.getTime())) return "";
  if (format === "ISO") return moment.toISOString();
  const pattern = plainText(format || "yyyy-MM-dd");
  return pattern.replaceAll(/''|'((?:[^']|'')*)'|([A-Za-z])\2*/g, (part, quoted, letter) => {
    if (part === "''") return "'";
    if (quoted !== undefined) return (quoted as string).replaceAll("''", "'");
    return dateField(moment, letter as string, part.length) ?? part;
  });
}

function dateField(moment: Date, letter: string, width: number): string | undefined {
  const number = (value: number) => String(value).padStart(width, "0");
  const name = (names: readonly string[], index: number) =>
    width >= 4 ? names[index] : names[index]?.slice(0, 3);
  const year = moment.getUTCFullYear();
  const hour = moment.getUTCHours();
  switch (letter) {
    case "y":
      return width === 2 ? String(year % 100).padStart(2, "0") : number(year);
    case "M":
    case "L":
      return width >= 3 ? name(MONTHS, moment.getUTCMonth()) : number(moment.getUTCMonth() + 1);
    case "d":
      return number(moment.getUTCDate());
    case "E":
      return name(DAYS, moment.getUTCDay());
    case "H":
      return number(hour);
    case "h":
      return number(((hour + 11) % 12) + 1);
    case "m":
      return number(moment.getUTCMinutes());
    case "s":
      return number(moment.getUTCSeconds());
    case "a":
      return hour < 12 ? "AM" : "PM";
    default:
      return undefined;
  }
}

function pluralize(args: FunctionArguments): string {
  const explicit = ["zero", "one", "two"][toNumber(args.value) ?? -1];
  return plainText((explicit === undefined ? undefined : args[explicit]) ?? args.other);
}

function combined({ values }: FunctionArguments): boolean[] {
  if (!Array.isArray(values) || values.length < 2)
    throw new Error("at least two values are needed");
  return values.map(Boolean);
}

/** Functions of the basic catalog that need only their arguments. `openUrl` is for people to click, not called. */
const FUNCTIONS: Readonly<Record<string, (args: FunctionArguments) => unknown>> = {
  required: ({ value }) =>
    !(
      value === null ||
      value === undefined ||
      value === "" ||
      (Array.isArray(value) && value.length === 0)
    ),
  regex: matchesPattern,
  length: (args) =>
    within(Array.isArray(args.value) ? args.value.length : [...plainText(args.value)].length, args),
  numeric: (args) => {
    const number = toNumber(args.value);
    return number !== undefined && within(number, args);
  },
  email: ({ value }) => /^[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\.[A-Za-z]{2,}$/.test(plainText(value)),
  formatNumber: (args) => formatNumber(args),
  formatCurrency,
  formatDate,
  pluralize,
  and: (args) => combined(args).every(Boolean),
  or: (args) => combined(args).some(Boolean),
  not: ({ value }) => !value,
};

/** Calls a function of the basic catalog other than `formatString`, which needs the data of its surface. */
export function callFunction(name: string, args: unknown): unknown {
  const found = Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name] : undefined;
  if (found === undefined) throw new Error(`there is no function ${name}`);
  return found(isRecord(args) ? args : {});
}
