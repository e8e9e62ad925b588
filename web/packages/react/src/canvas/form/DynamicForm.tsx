import { useRef, useState } from "react";
import { ComponentFrame } from "../ComponentFrame.js";
import type { ActionExecution, ActionHandler, FormData } from "../types.js";
import { FormInput } from "./FormInput.js";
import { type FormErrors, formErrors, formParams, initialValues } from "./formRules.js";
import { asksForSecret } from "./secrets.js";

/** Form of an agent. Submitting executes its action with the values. */
export function DynamicForm({
  data,
  onAction,
  execution,
}: {
  data: FormData;
  onAction?: ActionHandler;
  /** Last execution of the form's action. */
  execution?: ActionExecution | undefined;
}) {
  const isSecret = data.fields.some(
    ({ name, label, type }) =>
      type !== "checkbox" && type !== "select" && (asksForSecret(name) || asksForSecret(label)),
  );
  return (
    <ComponentFrame component="form" title={data.title} description={data.description}>
      {isSecret ? (
        <p className="pincite-note">
          This form asks for a password, key or code. Forms of agents that ask for secrets are not
          shown.
        </p>
      ) : (
        <FormFields data={data} onAction={onAction} execution={execution} />
      )}
    </ComponentFrame>
  );
}

function FormFields({
  data,
  onAction,
  execution,
}: {
  data: FormData;
  onAction: ActionHandler | undefined;
  execution: ActionExecution | undefined;
}) {
  const form = useRef<HTMLFormElement>(null);
  const [values, setValues] = useState(() => initialValues(data.fields));
  const [errors, setErrors] = useState<FormErrors>({});
  const [failure, setFailure] = useState<string>();
  const [isSending, setSending] = useState(false);
  const isRunning = isSending || execution?.state === "running";

  const showErrors = (found: FormErrors) => {
    setErrors(found);
    const first = data.fields.find(({ name }) => Object.hasOwn(found, name));
    const control = first && form.current?.elements.namedItem(first.name);
    if (control instanceof HTMLElement) control.focus();
  };
  const submit = async () => {
    const found = formErrors(data, values);
    setFailure(undefined);
    showErrors(found);
    if (Object.keys(found).length > 0 || !onAction) return;
    setSending(true);
    try {
      await onAction({
        actionId: data.onSubmitActionId,
        params: formParams(data.fields, values),
        isConfirmed: false,
      });
    } catch (error) {
      const fields = (error as { fieldErrors?: FormErrors }).fieldErrors;
      if (fields && Object.keys(fields).length > 0) showErrors(fields);
      else setFailure((error as Error).message);
    } finally {
      setSending(false);
    }
  };
  return (
    <form
      ref={form}
      className="pincite-form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      {data.fields.map((field) => (
        <FormInput
          key={field.name}
          field={field}
          value={values[field.name] ?? ""}
          error={errors[field.name]}
          isDisabled={isRunning}
          onChange={(value) => setValues((before) => ({ ...before, [field.name]: value }))}
        />
      ))}
      <div className="pincite-form-foot">
        <button type="submit" className="pincite-primary" disabled={isRunning || !onAction}>
          {data.submitLabel ?? "Submit"}
        </button>
        <span role="status">{statusText(isRunning, execution)}</span>
      </div>
      {failure && (
        <p className="pincite-error-text" role="alert">
          {failure}
        </p>
      )}
    </form>
  );
}

function statusText(isRunning: boolean, execution: ActionExecution | undefined): string {
  if (isRunning) return "Sending…";
  switch (execution?.state) {
    case "done":
      return "Sent.";
    case "failed":
      return `Failed: ${execution.error ?? "the agent gave no reason"}`;
    default:
      return "";
  }
}
