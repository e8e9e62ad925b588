import { useState } from "react";
import { paramFields } from "./actionParams.js";
import { useCanvasSettings } from "./CanvasSettings.js";
import { ConfirmDialog } from "./ConfirmDialog.js";
import { executionText } from "./executionText.js";
import { FormInput } from "./form/FormInput.js";
import { type FormErrors, fieldError, formParams, initialValues } from "./form/formRules.js";
import { plainText } from "./format.js";
import type { ActionExecution, ActionHandler, SuggestedAction } from "./types.js";

/** Actions that an agent suggests. Nothing happens until the person chooses one. */
export function ActionButtons({
  actions,
  executions = [],
  onAction,
  onUndo,
}: {
  actions: readonly SuggestedAction[];
  executions?: readonly ActionExecution[];
  onAction?: ActionHandler;
  /** Undoes the last execution of an action; without it there is no button. */
  onUndo?: (actionId: string) => Promise<void> | void;
}) {
  return (
    <ul className="pincite-actions" aria-label="Suggested actions">
      {actions.map((action) => (
        <li key={action.id}>
          <ActionItem
            action={action}
            execution={executions.findLast(({ actionId }) => actionId === action.id)}
            onAction={onAction}
            onUndo={onUndo}
          />
        </li>
      ))}
    </ul>
  );
}

function ActionItem({
  action,
  execution,
  onAction,
  onUndo,
}: {
  action: SuggestedAction;
  execution: ActionExecution | undefined;
  onAction: ActionHandler | undefined;
  onUndo: ((actionId: string) => Promise<void> | void) | undefined;
}) {
  const { renderIcon } = useCanvasSettings();
  const [isAsking, setAsking] = useState(false);
  const [isSending, setSending] = useState(false);
  const [failure, setFailure] = useState<string>();
  const hasExpired = action.expiresAt !== undefined && action.expiresAt <= Date.now();
  const needsDialog =
    action.confirmationRequired === true ||
    action.destructive === true ||
    action.paramsSchema !== undefined;
  const state = execution?.state;
  const isBusy = isSending || state === "running" || state === "confirmed";
  const send = async (work: () => Promise<void> | void) => {
    setAsking(false);
    setFailure(undefined);
    setSending(true);
    try {
      await work();
    } catch (error) {
      setFailure((error as Error).message);
    } finally {
      setSending(false);
    }
  };
  const choose = (params: Record<string, unknown> | undefined, isConfirmed: boolean) =>
    void send(() => onAction?.({ actionId: action.id, params, isConfirmed }));
  return (
    <>
      <button
        type="button"
        className={action.destructive ? "pincite-destructive" : undefined}
        disabled={!onAction || isBusy || hasExpired || state === "expired"}
        onClick={() => (needsDialog ? setAsking(true) : choose(undefined, false))}
      >
        {action.icon !== undefined && renderIcon?.(action.icon)}
        <bdi>{action.label}</bdi>
      </button>
      {action.description && (
        <p className="pincite-help" dir="auto">
          {action.description}
        </p>
      )}
      <ShownParams params={action.params} />
      <span className="pincite-status" role="status">
        {isSending && !state && "Sending…"}
        {execution && executionText(execution)}
        {hasExpired && !execution && "Expired"}
      </span>
      {state === "done" && action.undoable && onUndo && (
        <button
          type="button"
          disabled={isSending}
          onClick={() => void send(() => onUndo(action.id))}
        >
          Undo {action.label}
        </button>
      )}
      {failure && (
        <p className="pincite-error-text" role="alert">
          {failure}
        </p>
      )}
      {isAsking && (
        <ActionDialog action={action} onConfirm={choose} onCancel={() => setAsking(false)} />
      )}
    </>
  );
}

function ShownParams({ params }: { params: Record<string, unknown> | undefined }) {
  const entries = Object.entries(params ?? {});
  if (entries.length === 0) return null;
  return (
    <dl className="pincite-params">
      {entries.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd dir="auto">{plainText(value)}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Question with the parameters, which can be edited if a schema describes them. */
function ActionDialog({
  action,
  onConfirm,
  onCancel,
}: {
  action: SuggestedAction;
  onConfirm: (params: Record<string, unknown> | undefined, isConfirmed: boolean) => void;
  onCancel: () => void;
}) {
  const [fields] = useState(() => paramFields(action.paramsSchema, action.params ?? {}));
  const [values, setValues] = useState(() => initialValues(fields));
  const [errors, setErrors] = useState<FormErrors>({});
  const confirm = () => {
    const found = fields.flatMap((field) => {
      const error = fieldError(field, values[field.name]);
      return error === undefined ? [] : [[field.name, error] as const];
    });
    setErrors(Object.fromEntries(found));
    if (found.length > 0) return;
    const edited = formParams(fields, values);
    onConfirm(fields.length === 0 ? undefined : { ...action.params, ...edited }, true);
  };
  return (
    <ConfirmDialog
      question={action.confirmationMessage ?? `${action.label}?`}
      confirmLabel={action.label}
      isDestructive={action.destructive === true}
      onConfirm={confirm}
      onCancel={onCancel}
    >
      {fields.length === 0 ? (
        <ShownParams params={action.params} />
      ) : (
        fields.map((field) => (
          <FormInput
            key={field.name}
            field={field}
            value={values[field.name] ?? ""}
            error={errors[field.name]}
            isDisabled={false}
            onChange={(value) => setValues((before) => ({ ...before, [field.name]: value }))}
          />
        ))
      )}
    </ConfirmDialog>
  );
}
