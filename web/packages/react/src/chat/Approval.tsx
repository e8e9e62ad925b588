import type { Interrupt, ResumeEntry, ToolCall } from "@pincite/client";
import { type ComponentPropsWithoutRef, useId, useState } from "react";

/** Properties of an approval. */
export interface ApprovalProps extends Omit<ComponentPropsWithoutRef<"section">, "children"> {
  interrupt: Interrupt;
  /** Tool call that waits for the decision; its arguments can be changed. */
  call?: ToolCall | undefined;
  /** Called with the answer to the interrupt. */
  onDecide: (entry: ResumeEntry) => void;
}

/** Request of an agent that waits for a decision: approve it, with changed arguments if wanted, or reject it. */
export function Approval({ interrupt, call, onDecide, ...props }: ApprovalProps) {
  const [argumentText, setArgumentText] = useState(() => call?.function.arguments || "{}");
  const [reason, setReason] = useState("");
  const heading = useId();
  const isValid = call === undefined || isJson(argumentText);
  const isExpired =
    interrupt.expiresAt !== undefined && Date.parse(interrupt.expiresAt) <= Date.now();
  const decide = (approved: boolean) =>
    onDecide({
      interruptId: interrupt.id,
      status: "resolved",
      payload: {
        approved,
        ...(approved && call ? { arguments: JSON.parse(argumentText) } : {}),
        ...(approved || reason === "" ? {} : { reason }),
      },
    });
  const title = interrupt.message ?? interrupt.reason ?? "The agent waits for your decision.";
  if (isExpired) {
    return (
      <section data-approval="" aria-labelledby={heading} {...props}>
        <p id={heading}>{title}</p>
        <p>This request has expired.</p>
        <button
          type="button"
          onClick={() => onDecide({ interruptId: interrupt.id, status: "cancelled" })}
        >
          Continue without it
        </button>
      </section>
    );
  }
  return (
    <section data-approval="" aria-labelledby={heading} {...props}>
      <p id={heading}>{title}</p>
      {call && (
        <label>
          Arguments of <code>{call.function.name}</code>
          <textarea
            value={argumentText}
            spellCheck={false}
            aria-invalid={!isValid}
            onChange={(event) => setArgumentText(event.target.value)}
          />
        </label>
      )}
      {!isValid && <p role="alert">The arguments are not valid JSON.</p>}
      <label>
        Reason, if you reject it
        <input value={reason} onChange={(event) => setReason(event.target.value)} />
      </label>
      <button type="button" disabled={!isValid} onClick={() => decide(true)}>
        Approve
      </button>
      <button type="button" onClick={() => decide(false)}>
        Reject
      </button>
    </section>
  );
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
