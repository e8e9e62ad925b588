import type { MiddlewareFunction } from "@ag-ui/client";
import { CitationRun, type RunInput, type RunOptions } from "./citationRun.js";
import { observableClass, type SourceObservable } from "./observable.js";
import { ReviewSender } from "./reviewSender.js";
import { withoutKey } from "./sharedState.js";
import { safePath } from "./statePatches.js";
import type { CitationMiddlewareConfig } from "./types.js";

/** Default of `maxBufferBytes`: 1 MiB. */
const MAX_BUFFER_BYTES = 1 << 20;
const KEEP_MESSAGES = 50;
const DEADLINE = 10_000;

/**
 * Creates a middleware that verifies the citations of an agent: `agent.use(createCitationMiddleware({ url }))`. Text
 * passes unchanged and at once. Results are written under `stateKey` in the shared state as each arrives, and the run
 * ends after the last one.
 */
export function createCitationMiddleware(
  config: CitationMiddlewareConfig = {},
): MiddlewareFunction {
  const options: RunOptions = {
    ...config,
    stateKey: config.stateKey ?? "deepcitation",
    maxBufferBytes: config.maxBufferBytes ?? MAX_BUFFER_BYTES,
    keepMessages: config.keepMessages ?? KEEP_MESSAGES,
    deadline: config.deadline ?? DEADLINE,
  };
  safePath(options.stateKey);
  const reviews = new ReviewSender(options);
  const middleware = (input: RunInput, next: { run: (input: never) => SourceObservable }) => {
    reviews.send(input.state);
    // The agent does not get our part of the state, so it need not keep it.
    const state = withoutKey(input.state, options.stateKey);
    const source = next.run({ ...input, state } as never);
    const Observable = observableClass(source);
    return new Observable((subscriber) => {
      const run = new CitationRun(options, input, subscriber);
      const subscription = source.subscribe({
        next: (event) => run.receive(event),
        error: (error) => {
          run.stop();
          subscriber.error(error);
        },
        complete: () => run.complete(),
      });
      return () => {
        run.stop();
        subscription.unsubscribe();
      };
    });
  };
  return middleware as unknown as MiddlewareFunction;
}
