import type { FormField } from "./types.js";

/** Returns the fields of a form for the parameters that a JSON Schema describes. */
export function paramFields(
  schema: Record<string, unknown> | undefined,
  params: Record<string, unknown>,
): FormField[] {
  const properties = asObject(schema?.properties);
  const required = Array.isArray(schema?.required) ? schema.required : [];
  return Object.entries(properties).map(([name, description]) => {
    const property = asObject(description);
    const options = Array.isArray(property.enum) ? property.enum.map(String) : undefined;
    const type = fieldType(property, options);
    const limits = {
      ...numberMember(property, "minimum", "min"),
      ...numberMember(property, "maximum", "max"),
      ...numberMember(property, "minLength", "minLength"),
      ...numberMember(property, "maxLength", "maxLength"),
    };
    return {
      name,
      label: typeof property.title === "string" ? property.title : name,
      type,
      required: required.includes(name),
      ...(options ? { options } : {}),
      ...(typeof property.description === "string" ? { help: property.description } : {}),
      defaultValue: params[name] ?? property.default,
      validation: limits,
    };
  });
}

function fieldType(
  property: Record<string, unknown>,
  options: string[] | undefined,
): FormField["type"] {
  if (options) return "select";
  switch (property.type) {
    case "boolean":
      return "checkbox";
    case "number":
    case "integer":
      return "number";
    default:
      return property.format === "date" ? "date" : property.format === "email" ? "email" : "text";
  }
}

function numberMember(
  property: Record<string, unknown>,
  from: string,
  to: string,
): Record<string, number> {
  const value = property[from];
  return typeof value === "number" ? { [to]: value } : {};
}

function asObject(value: unknown): Record<string, unknown> {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject ? (value as Record<string, unknown>) : {};
}
