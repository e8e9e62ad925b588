import type { AgentEvent } from "./citationRun.js";

/** Observer of a stream of events. */
export interface EventObserver {
  next: (event: AgentEvent) => void;
  error: (error: unknown) => void;
  complete: () => void;
}

/** Observable of RxJS as far as it is used here. */
export interface SourceObservable {
  subscribe: (observer: EventObserver) => { unsubscribe: () => void };
}

type ObservableClass = new (
  subscribe: (subscriber: EventObserver) => () => void,
) => SourceObservable;

/**
 * Returns the class `Observable` of an instance or of one of a derived class. So the observables that we create are
 * those of the RxJS that the AG-UI client uses, and RxJS is no dependency of ours.
 */
export function observableClass(observable: SourceObservable): ObservableClass {
  let prototype: object = Object.getPrototypeOf(observable);
  for (;;) {
    const parent: object | null = Object.getPrototypeOf(prototype);
    if (parent === null || parent === Object.prototype) break;
    prototype = parent;
  }
  return prototype.constructor as unknown as ObservableClass;
}
