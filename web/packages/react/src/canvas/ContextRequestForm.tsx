import { useId, useState } from "react";
import { plainText } from "./format.js";
import type { ContextRequest } from "./types.js";

/** Decision about a field: shared this time, always, or never with this agent. */
export type ContextDecision = "once" | "always" | "never";

/** Answer to a request. Only the values of fields that are shared are in it. */
export interface ContextResponse {
  decisions: Record<string, ContextDecision>;
  values: Record<string, unknown>;
}

const CHOICES: readonly (readonly [ContextDecision, string])[] = [
  ["once", "Share once"],
  ["always", "Always share"],
  ["never", "Never share"],
];

/** Request of an agent for fields. The person decides about each of them, and sees or types its value. */
export function ContextRequestForm({
  agent,
  request,
  available,
  answered,
  onAnswer,
}: {
  agent: string;
  request: ContextRequest;
  /** Values that the application has. A field without one can be typed in. */
  available: Readonly<Record<string, unknown>>;
  /** Fields that were shared before; `undefined` if the request is open. */
  answered: readonly string[] | undefined;
  onAnswer: (response: ContextResponse) => Promise<void> | void;
}) {
  const heading = useId();
  const [decisions, setDecisions] = useState<Record<string, ContextDecision>>({});
  const [typed, setTyped] = useState<Record<string, string>>({});
  const [failure, setFailure] = useState<string>();
  const [isSending, setSending] = useState(false);
  const [isDone, setDone] = useState(false);
  const isComplete = request.fields.every((field) => Object.hasOwn(decisions, field));
  const send = async (chosen: Record<string, ContextDecision>) => {
    const values: Record<string, unknown> = {};
    for (const field of request.fields) {
      if (chosen[field] === undefined || chosen[field] === "never") continue;
      values[field] = Object.hasOwn(available, field) ? available[field] : (typed[field] ?? "");
    }
    setSending(true);
    setFailure(undefined);
    try {
      await onAnswer({ decisions: chosen, values });
      setDone(true);
    } catch (error) {
      setFailure((error as Error).message);
    } finally {
      setSending(false);
    }
  };
  if (answered || isDone) {
    const shared = answered ?? request.fields.filter((field) => decisions[field] !== "never");
    return (
      <p className="pincite-note" role="status">
        {shared.length === 0
          ? `Nothing was shared with ${agent}.`
          : `Shared with ${agent}: ${shared.join(", ")}.`}
      </p>
    );
  }
  return (
    <form
      className="pincite-component pincite-context"
      aria-labelledby={heading}
      onSubmit={(event) => {
        event.preventDefault();
        void send(decisions);
      }}
    >
      <h2 id={heading}>
        <bdi>{agent}</bdi> asks for {request.fields.length === 1 ? "a field" : "fields"} of your
        data
      </h2>
      <p dir="auto">Reason: {request.reason}</p>
      {request.fields.map((field) => (
        <ContextField
          key={field}
          field={field}
          decision={decisions[field]}
          value={Object.hasOwn(available, field) ? plainText(available[field]) : undefined}
          typed={typed[field] ?? ""}
          onDecide={(decision) => setDecisions((before) => ({ ...before, [field]: decision }))}
          onType={(text) => setTyped((before) => ({ ...before, [field]: text }))}
        />
      ))}
      <div className="pincite-buttons">
        <button type="submit" className="pincite-primary" disabled={!isComplete || isSending}>
          Send decision
        </button>
        <button type="button" disabled={isSending} onClick={() => void send({})}>
          Share nothing this time
        </button>
      </div>
      {failure && (
        <p className="pincite-error-text" role="alert">
          {failure}
        </p>
      )}
    </form>
  );
}

function ContextField({
  field,
  decision,
  value,
  typed,
  onDecide,
  onType,
}: {
  field: string;
  decision: ContextDecision | undefined;
  /** Value that the application has. */
  value: string | undefined;
  typed: string;
  onDecide: (decision: ContextDecision) => void;
  onType: (text: string) => void;
}) {
  const name = useId();
  return (
    <fieldset className="pincite-context-field">
      <legend>
        <code>{field}</code>
      </legend>
      {value !== undefined && <p dir="auto">{value}</p>}
      <div className="pincite-choices">
        {CHOICES.map(([choice, label]) => (
          <label key={choice}>
            <input
              type="radio"
              name={name}
              checked={decision === choice}
              onChange={() => onDecide(choice)}
            />
            {label}
          </label>
        ))}
      </div>
      {value === undefined && (decision === "once" || decision === "always") && (
        <label className="pincite-field">
          Value of {field}
          <input value={typed} onChange={(event) => onType(event.target.value)} />
        </label>
      )}
    </fieldset>
  );
}
