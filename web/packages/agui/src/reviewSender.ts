import type { RunOptions } from "./citationRun.js";
import { SharedState } from "./sharedState.js";
import { post, sanitizeForLog } from "./verifyText.js";

/** Sends reviews, which people write into the shared state, to the server; each one once. */
export class ReviewSender {
  private readonly options: RunOptions;
  private readonly sent = new Set<string>();

  constructor(options: RunOptions) {
    this.options = options;
  }

  /** Sends the reviews of a state that were not sent yet. */
  send(state: unknown): void {
    const { reviews } = new SharedState(this.options.stateKey, state).own;
    for (const [key, { action, at, note }] of Object.entries(reviews)) {
      const id = JSON.stringify([key, action, at, note]);
      if (this.sent.has(id)) continue;
      this.sent.add(id);
      const body = { action, at, note };
      post(this.options, `/citations/${encodeURIComponent(key)}/reviews`, body).catch((error) => {
        this.sent.delete(id);
        const message = `pincite: Review not stored: ${sanitizeForLog(error)}`;
        (this.options.onWarning ?? console.warn)(message);
      });
    }
  }
}
