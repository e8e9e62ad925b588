import type { AgentInfo } from "@pincite/client";
import { client } from "../api/client.js";
import { useRequest } from "../api/useRequest.js";
import { ErrorNotice } from "../ui/ErrorNotice.js";
import styles from "./SettingsPage.module.css";

/** Agents of the server. Upstream agents are added in the configuration. */
export function AgentSettings() {
  const { data, error, reload } = useRequest(() => client.agents(), []);
  return (
    <>
      {error && <ErrorNotice error={error} onAction={reload} />}
      <div className={styles.frame}>
        <table className={styles.table} aria-label="Agents">
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">Kind</th>
              <th scope="col">Address for AG-UI clients</th>
            </tr>
          </thead>
          <tbody>
            {data?.items.map((agent) => (
              <AgentRow key={agent.name} agent={agent} />
            ))}
          </tbody>
        </table>
      </div>
      <p>
        Start the server with <code>--upstream NAME=URL</code>, or add{" "}
        <code>[agents.NAME] url</code> to the configuration file, to put Pincite in front of another
        agent.
      </p>
    </>
  );
}

function AgentRow({ agent }: { agent: AgentInfo }) {
  return (
    <tr>
      <th scope="row">{agent.name}</th>
      <td>{agent.builtIn ? "Built in" : "Upstream"}</td>
      <td>
        <code>{agent.url}</code>
      </td>
    </tr>
  );
}
