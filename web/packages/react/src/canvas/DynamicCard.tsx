import { useState } from "react";
import { Markdown } from "../markdown/Markdown.js";
import { ComponentFrame } from "./ComponentFrame.js";
import { ConfirmDialog } from "./ConfirmDialog.js";
import { executionText } from "./executionText.js";
import { plainText } from "./format.js";
import { PLAIN_PARTS } from "./plainParts.js";
import type { ActionExecution, ActionHandler, CardAction, CardData } from "./types.js";

/** Card of an agent, with buttons for its actions. */
export function DynamicCard({
  data,
  onAction,
  executions = [],
}: {
  data: CardData;
  onAction?: ActionHandler;
  executions?: readonly ActionExecution[];
}) {
  return (
    <ComponentFrame component="card" title={data.title} description={data.description}>
      <div className="pincite-content">
        <CardContent content={data.content} />
      </div>
      {data.footer && (
        <p className="pincite-footer" dir="auto">
          {data.footer}
        </p>
      )}
      {data.actions && data.actions.length > 0 && (
        <CardButtons actions={data.actions} onAction={onAction} executions={executions} />
      )}
    </ComponentFrame>
  );
}

/** Content of a card: text as Markdown, an object as names and values. */
function CardContent({ content }: { content: unknown }) {
  if (typeof content === "string") return <Markdown text={content} parts={PLAIN_PARTS} />;
  if (typeof content !== "object" || content === null) return <p>{plainText(content)}</p>;
  if (Array.isArray(content)) {
    return (
      <ul>
        {content.map((item, position) => (
          <li key={position} dir="auto">
            {plainText(item)}
          </li>
        ))}
      </ul>
    );
  }
  return (
    <dl className="pincite-values">
      {Object.entries(content).map(([name, value]) => (
        <div key={name}>
          <dt dir="auto">{name}</dt>
          <dd dir="auto">{plainText(value)}</dd>
        </div>
      ))}
    </dl>
  );
}

function CardButtons({
  actions,
  onAction,
  executions,
}: {
  actions: readonly CardAction[];
  onAction: ActionHandler | undefined;
  executions: readonly ActionExecution[];
}) {
  const [asked, setAsked] = useState<CardAction>();
  const [failure, setFailure] = useState<string>();
  const run = async (action: CardAction, isConfirmed: boolean) => {
    setAsked(undefined);
    setFailure(undefined);
    try {
      await onAction?.({ actionId: action.actionId, params: undefined, isConfirmed });
    } catch (error) {
      setFailure((error as Error).message);
    }
  };
  return (
    <>
      <div className="pincite-buttons">
        {actions.map((action) => {
          const execution = executions.findLast(({ actionId }) => actionId === action.actionId);
          return (
            <span key={action.actionId}>
              <button
                type="button"
                className={VARIANTS[action.variant ?? "outline"]}
                disabled={!onAction || execution?.state === "running"}
                onClick={() =>
                  action.variant === "destructive" ? setAsked(action) : void run(action, false)
                }
              >
                {action.label}
              </button>
              {execution && <small role="status">{executionText(execution)}</small>}
            </span>
          );
        })}
      </div>
      {failure && (
        <p className="pincite-error-text" role="alert">
          {failure}
        </p>
      )}
      {asked && (
        <ConfirmDialog
          question={`${asked.label}?`}
          confirmLabel={asked.label}
          isDestructive
          onConfirm={() => void run(asked, true)}
          onCancel={() => setAsked(undefined)}
        >
          <p>This cannot be undone here.</p>
        </ConfirmDialog>
      )}
    </>
  );
}

const VARIANTS = {
  default: "pincite-primary",
  destructive: "pincite-destructive",
  outline: undefined,
} as const;
