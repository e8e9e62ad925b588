import { type PinciteClient, path } from "@pincite/client";
import { createContext, useContext, useMemo } from "react";

const ClientContext = createContext<PinciteClient | undefined>(undefined);

/** Provides the client that `useAgentContext` sends with. */
export const PinciteClientProvider = ClientContext.Provider;

/** Functions that share fields of the application's state with the agents of a conversation. */
export interface AgentContext {
  /** Shares a field. Agents receive it with their next run. */
  shareContext: (key: string, value: unknown) => Promise<void>;
  /** Withdraws a field. */
  removeContext: (key: string) => Promise<void>;
}

/**
 * Shares fields of the application's state with the agents of a conversation, one by one: nothing is sent that is not
 * named. The client is that of the `PinciteClientProvider`, or the argument.
 */
export function useAgentContext(conversationId: string, client?: PinciteClient): AgentContext {
  const provided = useContext(ClientContext);
  const used = client ?? provided;
  return useMemo(() => {
    const connected = () => {
      if (used) return used;
      throw new Error("useAgentContext needs a PinciteClientProvider or a client as its argument.");
    };
    return {
      shareContext: async (key, value) => {
        await connected().send("PUT", path`/conversations/${conversationId}/context/${key}`, {
          body: { value },
        });
      },
      removeContext: async (key) => {
        await connected().send("DELETE", path`/conversations/${conversationId}/context/${key}`);
      },
    };
  }, [used, conversationId]);
}
