import type { Message } from "@pincite/client";
import { type ContextRequest, ContextRequestForm } from "@pincite/react";
import { useCallback, useEffect, useState } from "react";
import { client } from "../api/client.js";
import { useCanvasSession } from "./CanvasSession.js";
import { senderOf } from "./canvasMessage.js";
import {
  answerContext,
  type ContextAnswer,
  contextAnswer,
  sharedContext,
} from "./conversationRequests.js";

/** Fields that the console itself can offer. */
function consoleContext(): Record<string, unknown> {
  return {
    "app.currentPage": window.location.pathname,
    "user.language": navigator.language,
    "user.timeZone": Intl.DateTimeFormat().resolvedOptions().timeZone,
  };
}

/**
 * Request of an agent for fields. If standing decisions cover all fields, it is answered by them; otherwise the person
 * decides.
 */
export function ContextActivity({ message }: { message: Message }) {
  const canvas = useCanvasSession();
  const conversationId = canvas?.session.threadId;
  const agent = senderOf(message) ?? canvas?.agent ?? "The agent";
  const request = message.content as unknown as ContextRequest;
  const [available, setAvailable] = useState<Record<string, unknown>>();
  const [answer, setAnswer] = useState<ContextAnswer>();
  const send = useCallback(
    async (response: Parameters<typeof answerContext>[2]) => {
      if (conversationId === undefined) return;
      setAnswer(await answerContext(conversationId, message.id, response));
    },
    [conversationId, message.id],
  );
  useEffect(() => {
    if (conversationId === undefined) return;
    let isCurrent = true;
    const load = async () => {
      const [given, shared, grants] = await Promise.all([
        contextAnswer(conversationId, message.id),
        sharedContext(conversationId),
        client.json<{ items: { agentId: string; field: string; decision: string }[] }>(
          "GET",
          "/context-grants",
        ),
      ]);
      if (!isCurrent) return;
      const values = { ...shared, ...consoleContext() };
      const standing = new Map(
        grants.items
          .filter(({ agentId }) => agentId === agent)
          .map(({ field, decision }) => [field, decision]),
      );
      setAvailable(values);
      if (given) setAnswer(given);
      else if (request.fields.every((field) => isDecided(standing.get(field), field, values))) {
        const granted = request.fields.filter((field) => standing.get(field) === "always");
        const chosen = granted.map((field) => [field, values[field]] as const);
        await send({ decisions: {}, values: Object.fromEntries(chosen) });
      }
    };
    // Without the answers of the server the person can still decide.
    load().catch(() => setAvailable(consoleContext()));
    return () => {
      isCurrent = false;
    };
  }, [conversationId, message.id, agent, request.fields, send]);
  if (!available) return null;
  return (
    <ContextRequestForm
      agent={agent}
      request={request}
      available={available}
      answered={answer && Object.keys(answer.shared)}
      onAnswer={send}
    />
  );
}

/** Returns true if a standing decision answers for a field: it is refused, or granted and its value is known. */
function isDecided(
  decision: string | undefined,
  field: string,
  values: Record<string, unknown>,
): boolean {
  return decision === "never" || (decision === "always" && Object.hasOwn(values, field));
}
