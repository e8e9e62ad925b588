import "@pincite/react/canvas.css";
import type { Message } from "@pincite/client";
import {
  ActionButtons,
  type AgentErrorData,
  AgentErrorNotice,
  type CanvasSettings,
  CanvasSettingsProvider,
  type ChosenAction,
  GenerativeUIRenderer,
  type SuggestedAction,
  type UIPayload,
} from "@pincite/react";
import { useCallback, useState } from "react";
import { useCanvasSession } from "./CanvasSession.js";
import { ContextActivity } from "./ContextActivity.js";
import { executeAction, undoAction } from "./conversationRequests.js";
import { useExecutions } from "./executionStore.js";
import { renderIcon } from "./icons.js";

const SETTINGS: CanvasSettings = { renderIcon };

/** Message of the canvas: component, actions, request for context, or error. */
export default function CanvasActivity({ message }: { message: Message }) {
  return (
    <CanvasSettingsProvider value={SETTINGS}>
      <ActivityByType message={message} />
    </CanvasSettingsProvider>
  );
}

function ActivityByType({ message }: { message: Message }) {
  const canvas = useCanvasSession();
  const content = message.content as unknown;
  if (typeof content !== "object" || content === null) return null;
  switch (message.activityType) {
    case "pincite.ui":
      return <ComponentActivity message={message} />;
    case "pincite.actions":
      return Array.isArray((content as { actions?: unknown }).actions) ? (
        <ActionsActivity message={message} />
      ) : null;
    case "pincite.context_request":
      return Array.isArray((content as { fields?: unknown }).fields) ? (
        <ContextActivity message={message} />
      ) : null;
    case "pincite.error":
      return (
        <AgentErrorNotice
          data={content as AgentErrorData}
          {...(canvas ? { onRetry: canvas.onRetry } : {})}
        />
      );
    default:
      return null;
  }
}

/** Returns the function that executes actions of a message. */
function useActionHandler(messageId: string) {
  const canvas = useCanvasSession();
  const conversationId = canvas?.session.threadId;
  const execute = useCallback(
    async (action: ChosenAction) => {
      if (conversationId !== undefined) await executeAction(conversationId, messageId, action);
    },
    [conversationId, messageId],
  );
  return canvas ? execute : undefined;
}

function ComponentActivity({ message }: { message: Message }) {
  const canvas = useCanvasSession();
  const onAction = useActionHandler(message.id);
  const executions = useExecutions(canvas?.session.threadId, message.id);
  // A component is new if its message arrived while the page was open.
  const [isNew] = useState(() => canvas?.session.getSnapshot().connection === "streaming");
  return (
    <GenerativeUIRenderer
      payload={message.content as unknown as UIPayload}
      onAction={onAction}
      executions={executions}
      isNew={isNew}
    />
  );
}

function ActionsActivity({ message }: { message: Message }) {
  const canvas = useCanvasSession();
  const conversationId = canvas?.session.threadId;
  const onAction = useActionHandler(message.id);
  const executions = useExecutions(conversationId, message.id);
  const { actions } = message.content as unknown as { actions: SuggestedAction[] };
  const undo = async (actionId: string) => {
    const last = executions.findLast((execution) => execution.actionId === actionId);
    if (conversationId !== undefined && last) await undoAction(conversationId, last);
  };
  return (
    <ActionButtons
      actions={actions}
      executions={executions}
      onUndo={undo}
      {...(onAction ? { onAction } : {})}
    />
  );
}
