import type { AgentInfo, RequestError } from "@pincite/client";
import { useState } from "react";
import { client } from "../api/client.js";
import { useRequest } from "../api/useRequest.js";

/** Agents of the server and the one that answers the next question. */
export interface AgentChoice {
  agents: readonly string[];
  chosen: string | undefined;
  choose: (agent: string) => void;
  error: RequestError | undefined;
  reload: () => void;
}

const AGENT_KEY = "pincite.agent";

/** Loads the agents. The choice of the person is remembered; without one the default agent is chosen. */
export function useAgents(): AgentChoice {
  const { data, error, reload } = useRequest(() => client.agents(), []);
  const [picked, setPicked] = useState(() => localStorage.getItem(AGENT_KEY));
  const items: readonly (AgentInfo & { default?: boolean })[] = data?.items ?? [];
  const agents = items.map((agent) => agent.name);
  const preset = items.find((agent) => agent.default)?.name ?? agents[0];
  const choose = (agent: string) => {
    localStorage.setItem(AGENT_KEY, agent);
    setPicked(agent);
  };
  const chosen = picked !== null && agents.includes(picked) ? picked : preset;
  return { agents, chosen, choose, error, reload };
}
