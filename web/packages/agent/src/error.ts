import type { FieldError } from "./messages.js";

/** Refusal of a request by the server, or `offline` if no response arrived. */
export class AgentRequestError extends Error {
  override readonly name = "AgentRequestError";
  readonly status: number;
  readonly code: string;
  /** Advice on what to do; may be empty. */
  readonly hint: string;
  /** Errors of the message, each with a JSON Pointer. */
  readonly errors: readonly FieldError[];

  constructor(
    status: number,
    code: string,
    message: string,
    hint: string,
    errors: readonly FieldError[] = [],
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.hint = hint;
    this.errors = errors;
  }

  /** Reads an error response. */
  static async fromResponse(response: Response): Promise<AgentRequestError> {
    const text = await response.text().catch(() => "");
    try {
      const { error, errors } = JSON.parse(text) as {
        error: { code: string; message: string; hint: string };
        errors?: FieldError[];
      };
      return new AgentRequestError(response.status, error.code, error.message, error.hint, errors);
    } catch {
      const message = `The server responded with status ${response.status}.`;
      return new AgentRequestError(response.status, "internal", message, "Try again later.");
    }
  }
}
