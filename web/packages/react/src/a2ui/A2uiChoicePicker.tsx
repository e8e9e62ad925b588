import { useId, useState } from "react";
import type { ComponentViewProps } from "./A2uiComponentView.js";
import { useBinding } from "./A2uiInputs.js";
import { failedCheck } from "./checks.js";
import { textOf } from "./resolve.js";
import { isRecord } from "./types.js";

/** Choices of one question: one of them, or several. */
export function A2uiChoicePicker({ component, scope }: ComponentViewProps) {
  const name = useId();
  const [filter, setFilter] = useState("");
  const [value, write] = useBinding(component.value, scope);
  const chosen = Array.isArray(value)
    ? value.map(String)
    : value === undefined
      ? []
      : [String(value)];
  const isMultiple = component.variant === "multipleSelection";
  const options = (Array.isArray(component.options) ? component.options : [])
    .filter(isRecord)
    .map((option) => ({ label: textOf(option.label, scope), value: String(option.value) }))
    .filter(({ label }) => label.toLowerCase().includes(filter.toLowerCase()));
  const choose = (option: string, isChosen: boolean) => {
    if (!isMultiple) write([option]);
    else write(isChosen ? [...chosen, option] : chosen.filter((other) => other !== option));
  };
  const label = textOf(component.label, scope);
  const problem = failedCheck(component.checks, scope);
  return (
    <fieldset className="pincite-a2ui-field" data-style={component.displayStyle}>
      <legend className={label === "" ? "pincite-hidden" : undefined}>{label || "Options"}</legend>
      {component.filterable === true && (
        <input
          type="search"
          aria-label={`Filter ${label}`}
          value={filter}
          onChange={(event) => setFilter(event.target.value)}
        />
      )}
      {options.map((option) => (
        <label key={option.value}>
          <input
            type={isMultiple ? "checkbox" : "radio"}
            name={name}
            checked={chosen.includes(option.value)}
            onChange={(event) => choose(option.value, event.target.checked)}
          />{" "}
          {option.label}
        </label>
      ))}
      {problem !== undefined && <p>{problem}</p>}
    </fieldset>
  );
}
