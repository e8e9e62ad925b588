import "@pincite/react/canvas.css";
import type { Message } from "@pincite/client";
import {
  type A2uiAction,
  A2uiRenderer,
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
import { A2UI_ACTIVITY } from "./canvasMessage.js";
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
    case A2UI_ACTIVITY:
      return <A2uiActivity content={content as A2uiContent} />;
    default:
      return null;
  }
}

/** Content of an activity with surfaces: the operations, or the state of an agent that still writes them. */
interface A2uiContent {
  a2ui_operations?: unknown;
  status?: unknown;
}

/** Surfaces of A2UI. An action of a person starts a run that tells the agent. */
function A2uiActivity({ content }: { content: A2uiContent }) {
  const canvas = useCanvasSession();
  const send = useCallback(
    (userAction: A2uiAction) => {
      if (!canvas || canvas.session.isRunning) return;
      const { messages } = canvas.session.getSnapshot().conversation;
      const forwardedProps = { a2uiAction: { userAction } };
      void canvas.session.run({ agent: canvas.agent, messages, forwardedProps });
    },
    [canvas],
  );
  if (!Array.isArray(content.a2ui_operations)) {
    const text = content.status === "failed" ? "The surface could not be built." : "Building…";
    return <p role="status">{text}</p>;
  }
  return (
    <A2uiRenderer operations={content.a2ui_operations} {...(canvas ? { onAction: send } : {})} />
  );
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
