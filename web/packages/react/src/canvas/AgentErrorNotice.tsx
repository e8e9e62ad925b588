import { plainText } from "./format.js";
import type { AgentErrorData } from "./types.js";

/** Error that an agent reports. */
export function AgentErrorNotice({
  data,
  onRetry,
}: {
  data: AgentErrorData;
  /** Repeats the request; the button is shown if the agent says that this may help. */
  onRetry?: () => void;
}) {
  return (
    <article className="pincite-component pincite-agent-error" aria-label="Error of the agent">
      <p dir="auto">{data.message}</p>
      {(data.code !== undefined || data.recoverable !== undefined) && (
        <p className="pincite-help">
          {data.code !== undefined && <code>{data.code}</code>}{" "}
          {data.recoverable === true && "The agent can continue."}
          {data.recoverable === false && "The agent cannot continue."}
        </p>
      )}
      {data.details !== undefined && data.details !== null && (
        <details className="pincite-details">
          <summary>Details of the error</summary>
          <pre>
            {typeof data.details === "object"
              ? JSON.stringify(data.details, null, 2)
              : plainText(data.details)}
          </pre>
        </details>
      )}
      {data.retryable && onRetry && (
        <button type="button" onClick={onRetry}>
          Try again
        </button>
      )}
    </article>
  );
}
