import { useId } from "react";
import type { FormField } from "../types.js";
import type { FieldValue } from "./formRules.js";

/** Field of a form with its label, explanation and error. */
export function FormInput({
  field,
  value,
  error,
  isDisabled,
  onChange,
}: {
  field: FormField;
  value: FieldValue;
  error: string | undefined;
  isDisabled: boolean;
  onChange: (value: FieldValue) => void;
}) {
  const id = useId();
  const described = [field.help && `${id}-help`, error && `${id}-error`].filter(Boolean).join(" ");
  const common = {
    id,
    name: field.name,
    disabled: isDisabled,
    "aria-invalid": error !== undefined,
    "aria-required": field.required === true,
    ...(described === "" ? {} : { "aria-describedby": described }),
  };
  return (
    <div className="pincite-field" data-type={field.type}>
      {field.type === "checkbox" ? (
        <label htmlFor={id}>
          <input
            {...common}
            type="checkbox"
            checked={value === true}
            onChange={(event) => onChange(event.target.checked)}
          />
          <FieldLabel field={field} />
        </label>
      ) : (
        <>
          <label htmlFor={id}>
            <FieldLabel field={field} />
          </label>
          <TextControl field={field} value={String(value)} common={common} onChange={onChange} />
        </>
      )}
      {field.help && (
        <p id={`${id}-help`} className="pincite-help" dir="auto">
          {field.help}
        </p>
      )}
      {error && (
        <p id={`${id}-error`} className="pincite-error-text">
          {error}
        </p>
      )}
    </div>
  );
}

function FieldLabel({ field }: { field: FormField }) {
  return (
    <span dir="auto">
      {field.label}
      {field.required && <span aria-hidden="true"> *</span>}
    </span>
  );
}

function TextControl({
  field,
  value,
  common,
  onChange,
}: {
  field: FormField;
  value: string;
  common: Record<string, unknown>;
  onChange: (value: string) => void;
}) {
  if (field.type === "select") {
    return (
      <select {...common} value={value} onChange={(event) => onChange(event.target.value)}>
        <option value="">Choose…</option>
        {field.options?.map((option) => (
          <option key={option} value={option}>
            {option}
          </option>
        ))}
      </select>
    );
  }
  const text = {
    ...common,
    value,
    dir: "auto",
    ...(field.placeholder ? { placeholder: field.placeholder } : {}),
    onChange: (event: { target: { value: string } }) => onChange(event.target.value),
  };
  if (field.type === "textarea") return <textarea rows={4} {...text} />;
  // A text field for numbers accepts the notation of every language and never drops what was typed.
  const isNumber = field.type === "number";
  return (
    <input
      type={field.type === "email" || field.type === "date" ? field.type : "text"}
      inputMode={isNumber ? "decimal" : undefined}
      autoComplete="off"
      {...text}
    />
  );
}
