import { RequestError } from "@pincite/client";
import { type DependencyList, useCallback, useEffect, useState } from "react";

/** Progress of a request. Data of an earlier request stays visible while a newer one runs. */
export interface RequestState<T> {
  data: T | undefined;
  error: RequestError | undefined;
  isLoading: boolean;
  /** Sends the request again. */
  reload: () => void;
}

/**
 * Sends a request when the component is shown and whenever `dependencies` change. The response of an earlier request
 * is ignored.
 */
export function useRequest<T>(
  send: () => Promise<T>,
  dependencies: DependencyList,
): RequestState<T> {
  const [state, setState] = useState<Omit<RequestState<T>, "reload">>({
    data: undefined,
    error: undefined,
    isLoading: true,
  });
  const [attempt, setAttempt] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the caller names what the request depends on.
  useEffect(() => {
    let isCurrent = true;
    setState((before) => ({ ...before, isLoading: true }));
    send().then(
      (data) => {
        if (isCurrent) setState({ data, error: undefined, isLoading: false });
      },
      (cause: unknown) => {
        if (!isCurrent) return;
        const error = cause instanceof RequestError ? cause : RequestError.offline(cause);
        setState((before) => ({ ...before, error, isLoading: false }));
      },
    );
    return () => {
      isCurrent = false;
    };
  }, [...dependencies, attempt]);
  const reload = useCallback(() => setAttempt((count) => count + 1), []);
  return { ...state, reload };
}
