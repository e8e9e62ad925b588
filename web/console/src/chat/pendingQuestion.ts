import type { MessageAttachment } from "./attachments.js";

/** Question that another page has prepared for a new thread. */
export interface PendingQuestion {
  text: string;
  /** Documents that the answer is searched in. */
  attachments: readonly MessageAttachment[];
}

let pending: PendingQuestion | undefined;

/** Prepares a question; the page of a new thread shows it. */
export function setPendingQuestion(question: PendingQuestion): void {
  pending = question;
}

/** Returns the prepared question once. */
export function takePendingQuestion(): PendingQuestion | undefined {
  const question = pending;
  pending = undefined;
  return question;
}
