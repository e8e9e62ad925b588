import type { Message } from "@pincite/client";

/** Prefix of the activities of the canvas. */
const ACTIVITY_PREFIX = "pincite.";
/** Activity with surfaces of A2UI. */
export const A2UI_ACTIVITY = "a2ui-surface";

/** Returns true for an activity that the console renders: messages of the canvas and surfaces of A2UI. */
export function isRenderedActivity(message: Message): boolean {
  return isCanvasActivity(message) || message.activityType === A2UI_ACTIVITY;
}

/** Returns true for a message of the canvas. */
export function isCanvasActivity(message: Message): boolean {
  return message.role === "activity" && message.activityType?.startsWith(ACTIVITY_PREFIX) === true;
}

/** Returns true for a message that an agent posted to the conversation. */
export function isPosted(message: Message): boolean {
  return isCanvasActivity(message) || message.metadata?.pinciteMessage !== undefined;
}

/** Returns the id of the activity of which a message is the readable form. */
export function textFormOf(message: Message): string | undefined {
  const id = message.metadata?.pinciteTextOf;
  return typeof id === "string" ? id : undefined;
}

/** Returns the agent that posted a message. */
export function senderOf(message: Message): string | undefined {
  const envelope = message.metadata?.pinciteMessage as { agentId?: unknown } | undefined;
  return typeof envelope?.agentId === "string" ? envelope.agentId : undefined;
}

/** Returns the attributes with the formatting and the mood of a posted text. */
export function textAttributes(message: Message): Record<`data-${string}`, string> {
  const envelope = message.metadata?.pinciteMessage as
    | { payload?: { sentiment?: unknown; formatting?: Record<string, unknown> } }
    | undefined;
  const payload = envelope?.payload;
  if (!payload) return {};
  const { sentiment, formatting } = payload;
  return {
    ...(typeof sentiment === "string" ? { "data-sentiment": sentiment } : {}),
    ...(formatting?.bold === true ? { "data-bold": "" } : {}),
    ...(formatting?.italic === true ? { "data-italic": "" } : {}),
    ...(formatting?.code === true ? { "data-code": "" } : {}),
  };
}
