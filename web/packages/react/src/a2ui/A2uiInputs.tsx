import { type ReactNode, useId, useState } from "react";
import type { ComponentViewProps } from "./A2uiComponentView.js";
import { failedCheck } from "./checks.js";
import { absolutePath, type DataScope, resolve, textOf } from "./resolve.js";
import { useSurface } from "./SurfaceContext.js";
import { isRecord } from "./types.js";

/** Returns the value of a bound property, and the function that writes what a person enters. */
export function useBinding(
  value: unknown,
  scope: DataScope,
): [unknown, (entered: unknown) => void] {
  const { onInput } = useSurface();
  const [own, setOwn] = useState<unknown>();
  const path = isRecord(value) && typeof value.path === "string" ? value.path : undefined;
  if (path !== undefined) {
    const absolute = absolutePath(path, scope);
    return [resolve(value, scope), (entered) => onInput(absolute, entered)];
  }
  // A literal is only the start: what a person enters stays in the field.
  return [own ?? resolve(value, scope), setOwn];
}

function InputFrame({
  id,
  label,
  problem,
  children,
}: {
  id: string;
  label: string;
  problem: string | undefined;
  children: ReactNode;
}) {
  return (
    <div className="pincite-a2ui-field">
      <label htmlFor={id}>{label}</label>
      {children}
      {problem !== undefined && <p id={`${id}-problem`}>{problem}</p>}
    </div>
  );
}

/** Properties that connect an input with its problem. */
function problemProps(id: string, problem: string | undefined) {
  return problem === undefined ? {} : { "aria-invalid": true, "aria-describedby": `${id}-problem` };
}

/** Field for text, numbers and hidden text. */
export function A2uiTextField({ component, scope }: ComponentViewProps) {
  const id = useId();
  const [value, write] = useBinding(component.value, scope);
  const [isTouched, setTouched] = useState(false);
  const problem = isTouched ? failedCheck(component.checks, scope) : undefined;
  const shared = {
    id,
    value: typeof value === "string" || typeof value === "number" ? value : "",
    onBlur: () => setTouched(true),
    ...problemProps(id, problem),
  };
  const type = { number: "number", obscured: "password" }[String(component.variant)] ?? "text";
  return (
    <InputFrame id={id} label={textOf(component.label, scope)} problem={problem}>
      {component.variant === "longText" ? (
        <textarea {...shared} rows={4} onChange={(event) => write(event.target.value)} />
      ) : (
        <input
          {...shared}
          type={type}
          autoComplete="off"
          onChange={(event) => write(event.target.value)}
        />
      )}
    </InputFrame>
  );
}

/** Box that is ticked or not. */
export function A2uiCheckBox({ component, scope }: ComponentViewProps) {
  const [value, write] = useBinding(component.value, scope);
  const problem = failedCheck(component.checks, scope);
  return (
    <div className="pincite-a2ui-field">
      <label>
        <input
          type="checkbox"
          checked={Boolean(value)}
          onChange={(event) => write(event.target.checked)}
        />{" "}
        {textOf(component.label, scope)}
      </label>
      {problem !== undefined && <p>{problem}</p>}
    </div>
  );
}

/** Number in a range. */
export function A2uiSlider({ component, scope }: ComponentViewProps) {
  const id = useId();
  const [value, write] = useBinding(component.value, scope);
  const number = Number(value ?? 0);
  return (
    <InputFrame
      id={id}
      label={textOf(component.label, scope) || "Value"}
      problem={failedCheck(component.checks, scope)}
    >
      <span>
        <input
          id={id}
          type="range"
          min={Number(component.min ?? 0)}
          max={Number(component.max ?? 100)}
          value={number}
          onChange={(event) => write(Number(event.target.value))}
        />{" "}
        <output htmlFor={id}>{number}</output>
      </span>
    </InputFrame>
  );
}

/** Date, time or both. */
export function A2uiDateTimeInput({ component, scope }: ComponentViewProps) {
  const id = useId();
  const [value, write] = useBinding(component.value, scope);
  const [hasDate, hasTime] = [component.enableDate !== false, component.enableTime === true];
  const type = hasDate ? (hasTime ? "datetime-local" : "date") : "time";
  const length = { "datetime-local": 16, date: 10, time: 5 }[type];
  const text = typeof value === "string" ? value : "";
  return (
    <InputFrame
      id={id}
      label={textOf(component.label, scope) || (hasDate ? "Date" : "Time")}
      problem={failedCheck(component.checks, scope)}
    >
      <input
        id={id}
        type={type}
        value={text.slice(0, length)}
        onChange={(event) => write(event.target.value)}
      />
    </InputFrame>
  );
}
