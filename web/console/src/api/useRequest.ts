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

/** Sends a request when the component is shown and whenever `dependencies` change. */
export function useRequest<T>(
  send: (signal: AbortSignal) => Promise<T>,
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
    const controller = new AbortController();
    setState((before) => ({ ...before, isLoading: true }));
    send(controller.signal).then(
      (data) => {
        if (!controller.signal.aborted) setState({ data, error: undefined, isLoading: false });
      },
      (cause: unknown) => {
        if (controller.signal.aborted) return;
        const error = cause instanceof RequestError ? cause : RequestError.offline(cause);
        setState((before) => ({ ...before, error, isLoading: false }));
      },
    );
    return () => controller.abort();
  }, [...dependencies, attempt]);
  const reload = useCallback(() => setAttempt((count) => count + 1), []);
  return { ...state, reload };
}
