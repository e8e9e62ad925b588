import type { ToolCall } from "@pincite/client";
import type { ComponentPropsWithoutRef } from "react";

/** Properties of a tool call. */
export interface ToolProps extends Omit<ComponentPropsWithoutRef<"details">, "children"> {
  call: ToolCall;
  /** Result, as text or JSON; absent while the tool runs. */
  result?: string | undefined;
  /** Error of the tool, shown instead of a result. */
  error?: string | undefined;
}

/** Tool call of an agent: its name and progress in one line; arguments and result on request. */
export function Tool({ call, result, error, ...props }: ToolProps) {
  const status = error !== undefined ? "failed" : result === undefined ? "running" : "done";
  return (
    <details data-tool="" data-status={status} {...props}>
      <summary>
        <code>{call.function.name}</code> <span>{status}</span>
      </summary>
      <p>Arguments</p>
      <pre tabIndex={0}>{formatJson(call.function.arguments)}</pre>
      {error !== undefined && <p role="alert">{error}</p>}
      {result !== undefined && (
        <>
          <p>Result</p>
          <pre tabIndex={0}>{formatJson(result)}</pre>
        </>
      )}
    </details>
  );
}

/** Returns JSON with line breaks; another text, such as arguments that are still being written, as it is. */
function formatJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
}
