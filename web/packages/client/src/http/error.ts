import type { ErrorCode, ErrorResponse } from "../generated/api.js";

/** Error of a request: an error response of the server, or `offline` if no response arrived. */
export class RequestError extends Error {
  override readonly name = "RequestError";
  readonly status: number;
  readonly code: ErrorCode | "offline";
  /** Advice on what to do; may be empty. */
  readonly hint: string;
  readonly requestId: string | undefined;

  constructor(
    status: number,
    code: ErrorCode | "offline",
    message: string,
    hint: string,
    requestId?: string,
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.hint = hint;
    this.requestId = requestId;
  }

  /** Reads an error response. Responses of proxies, which have another form, become `internal`. */
  static async fromResponse(response: Response): Promise<RequestError> {
    const text = await response.text().catch(() => "");
    try {
      const { error } = JSON.parse(text) as ErrorResponse;
      return new RequestError(
        response.status,
        error.code,
        error.message,
        error.hint,
        error.requestId,
      );
    } catch {
      const message = `The server responded with status ${response.status}.`;
      return new RequestError(response.status, "internal", message, "Try again later.");
    }
  }

  static offline(cause: unknown): RequestError {
    const error = new RequestError(
      0,
      "offline",
      "The server cannot be reached.",
      "Check that it runs.",
    );
    error.cause = cause;
    return error;
  }
}
