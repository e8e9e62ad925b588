import { parseDate } from "../format.js";
import type { FormCheck, FormData, FormField } from "../types.js";

/** Value of a field. */
export type FieldValue = string | boolean;

/** Values of the fields by name. */
export type FormValues = Readonly<Record<string, FieldValue>>;

/** Error messages by the name of the field. */
export type FormErrors = Readonly<Record<string, string>>;

/** Longest text that is matched with a pattern. */
const MAX_MATCHED = 2_000;
const EMAIL = /^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+$/;

/** Returns the values that a form begins with. */
export function initialValues(fields: readonly FormField[]): FormValues {
  return Object.fromEntries(
    fields.map((field) => [
      field.name,
      field.type === "checkbox" ? field.defaultValue === true : initialText(field),
    ]),
  );
}

function initialText(field: FormField): string {
  const { defaultValue } = field;
  const text =
    typeof defaultValue === "string" || typeof defaultValue === "number"
      ? String(defaultValue)
      : "";
  if (field.type !== "date" || text === "") return text;
  // An input of type date takes a day only.
  return /^\d{4}-\d{2}-\d{2}/.exec(text)?.[0] ?? "";
}

/** Returns the values as parameters of the action: numbers as numbers, empty fields left out. */
export function formParams(
  fields: readonly FormField[],
  values: FormValues,
): Record<string, unknown> {
  const params: Record<string, unknown> = {};
  for (const { name, type } of fields) {
    const value = values[name];
    if (value === undefined || value === "") continue;
    params[name] = type === "number" ? Number(value) : value;
  }
  return params;
}

/** Checks all fields, then the comparisons between them. Returns one message for each field that is wrong. */
export function formErrors(form: FormData, values: FormValues): FormErrors {
  const errors: Record<string, string> = {};
  for (const field of form.fields) {
    const error = fieldError(field, values[field.name]);
    if (error !== undefined) errors[field.name] = error;
  }
  for (const check of form.checks ?? []) {
    if (!Object.hasOwn(errors, check.field) && !holds(check, form.fields, values)) {
      errors[check.field] = check.message;
    }
  }
  return errors;
}

/** Returns the reason a value is not accepted. */
export function fieldError(field: FormField, value: FieldValue | undefined): string | undefined {
  const isEmpty = value === undefined || value === "" || value === false;
  if (isEmpty) {
    if (!field.required) return undefined;
    return field.type === "checkbox" ? "This must be checked." : "A value is needed.";
  }
  if (typeof value === "boolean") return undefined;
  return typeError(field, value) ?? limitError(field, value);
}

function typeError(field: FormField, value: string): string | undefined {
  switch (field.type) {
    case "number":
      return Number.isFinite(Number(value)) ? undefined : "This is not a number.";
    case "email":
      return EMAIL.test(value) ? undefined : "This is not an e-mail address.";
    case "date":
      return parseDate(value) ? undefined : "This is not a date.";
    case "select":
      return field.options?.includes(value) ? undefined : "Choose one of the options.";
    default:
      return undefined;
  }
}

function limitError(field: FormField, value: string): string | undefined {
  const limits = field.validation;
  if (typeof limits !== "object" || limits === null) return undefined;
  const isNumber = field.type === "number";
  const measure = isNumber ? Number(value) : [...value].length;
  const low = isNumber ? limits.min : limits.minLength;
  const high = isNumber ? limits.max : limits.maxLength;
  const unit = isNumber ? "" : " characters";
  if (typeof low === "number" && measure < low) {
    return limits.message ?? `At least ${low}${unit}.`;
  }
  if (typeof high === "number" && measure > high) {
    return limits.message ?? `At most ${high}${unit}.`;
  }
  if (typeof limits.pattern === "string" && !matches(limits.pattern, value)) {
    return limits.message ?? "This does not have the expected form.";
  }
  return undefined;
}

/** Returns true if the whole text matches, or if the pattern cannot be used. The server checks it again. */
function matches(pattern: string, value: string): boolean {
  if (value.length > MAX_MATCHED) return true;
  try {
    return new RegExp(`^(?:${pattern})$`, "u").test(value);
  } catch {
    return true;
  }
}

/** Returns true if a comparison holds. Empty fields are not compared. */
function holds(check: FormCheck, fields: readonly FormField[], values: FormValues): boolean {
  const [left, right] = [values[check.field], values[check.other]];
  if (left === undefined || right === undefined || left === "" || right === "") return true;
  const type = fields.find((field) => field.name === check.field)?.type;
  const order = compare(type, left, right);
  switch (check.operator) {
    case "eq":
      return order === 0;
    case "ne":
      return order !== 0;
    case "lt":
      return order < 0;
    case "le":
      return order <= 0;
    case "gt":
      return order > 0;
    case "ge":
      return order >= 0;
    default:
      return true;
  }
}

/** Compares two values: numbers and dates by value, others as text. */
function compare(type: FormField["type"] | undefined, left: FieldValue, right: FieldValue): number {
  if (type === "number") return Number(left) - Number(right);
  if (type === "date") {
    const time = (value: FieldValue) => parseDate(String(value))?.getTime() ?? Number.NaN;
    return time(left) - time(right);
  }
  const [a, b] = [String(left), String(right)];
  return a === b ? 0 : a < b ? -1 : 1;
}
