import type { ThreadSession } from "@pincite/client";
import { createContext, useContext } from "react";

/** Thread that canvas messages belong to. */
export interface CanvasSession {
  session: ThreadSession;
  /** Agent of the thread, for messages that name none. */
  agent: string;
  /** Repeats the last question. */
  onRetry: () => void;
}

const SessionContext = createContext<CanvasSession | undefined>(undefined);

/** Provides the thread to canvas messages. */
export const CanvasSessionProvider = SessionContext.Provider;

/** Returns the thread; `undefined` outside of a conversation, such as in an export. */
export function useCanvasSession(): CanvasSession | undefined {
  return useContext(SessionContext);
}
