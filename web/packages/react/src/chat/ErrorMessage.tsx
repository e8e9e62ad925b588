import type { ComponentPropsWithoutRef } from "react";

/** Properties of an error. */
export interface ErrorMessageProps extends Omit<ComponentPropsWithoutRef<"div">, "children"> {
  /** Error of a run or a request. `RequestError` has a hint. */
  error: { message: string; hint?: string; code?: string };
  /** Adds a button that tries again. */
  onRetry?: () => void;
}

/** Error with its hint. It is announced when it appears. */
export function ErrorMessage({ error, onRetry, ...props }: ErrorMessageProps) {
  return (
    <div data-error-message="" data-code={error.code} role="alert" {...props}>
      <p>{error.message}</p>
      {error.hint && <p>{error.hint}</p>}
      {onRetry && (
        <button type="button" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  );
}
