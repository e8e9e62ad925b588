import { type AgentInfo, RequestError, type UpstreamCheckInfo } from "@pincite/client";
import { type FormEvent, useState } from "react";
import { client } from "../api/client.js";
import { useRequest } from "../api/useRequest.js";
import { Button } from "../ui/Button.js";
import { ErrorNotice } from "../ui/ErrorNotice.js";
import styles from "./SettingsPage.module.css";

const ORIGINS: Readonly<Record<AgentInfo["origin"], string>> = {
  builtIn: "Built in",
  configuration: "Configuration",
  added: "Added here",
};

/** Agents of the server. Administrators add, test and remove upstream agents. */
export function AgentSettings({ isAdmin }: { isAdmin: boolean }) {
  const { data, error, reload } = useRequest(() => client.agents(), []);
  const [checks, setChecks] = useState<Readonly<Record<string, CheckState>>>({});
  const check = async (name: string) => {
    const show = (state: CheckState) => setChecks((before) => ({ ...before, [name]: state }));
    show("testing");
    try {
      show(await client.checkUpstream(name));
    } catch (cause) {
      show(asFailure(cause));
    }
  };
  const added = async (name: string) => {
    reload();
    await check(name);
  };
  const remove = async (name: string) => {
    try {
      await client.removeUpstream(name);
      setChecks(({ [name]: _, ...rest }) => rest);
    } catch (cause) {
      setChecks((before) => ({ ...before, [name]: asFailure(cause) }));
    }
    reload();
  };
  return (
    <>
      {error && <ErrorNotice error={error} onAction={reload} />}
      <div className={styles.frame}>
        <table className={styles.table} aria-label="Agents">
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">Defined in</th>
              <th scope="col">Address</th>
              {isAdmin && (
                <th scope="col">
                  <span className="visually-hidden">Actions</span>
                </th>
              )}
            </tr>
          </thead>
          <tbody>
            {data?.items.map((agent) => (
              <AgentRow
                key={agent.name}
                agent={agent}
                check={checks[agent.name]}
                isAdmin={isAdmin}
                onCheck={() => void check(agent.name)}
                onRemove={() => void remove(agent.name)}
              />
            ))}
          </tbody>
        </table>
      </div>
      {isAdmin ? (
        <UpstreamForm onAdded={(name) => void added(name)} />
      ) : (
        <p>An administrator can put Pincite in front of another agent.</p>
      )}
    </>
  );
}

type CheckState = UpstreamCheckInfo | "testing";

function asFailure(cause: unknown): UpstreamCheckInfo {
  const error = cause instanceof RequestError ? cause : RequestError.offline(cause);
  return { state: "fail", message: error.message, hint: error.hint ?? null };
}

const SIGNS: Readonly<Record<UpstreamCheckInfo["state"], string>> = {
  ok: "✓",
  warn: "~",
  fail: "✗",
};

function AgentRow({
  agent,
  check,
  isAdmin,
  onCheck,
  onRemove,
}: {
  agent: AgentInfo;
  check: CheckState | undefined;
  isAdmin: boolean;
  onCheck: () => void;
  onRemove: () => void;
}) {
  return (
    <tr>
      <th scope="row">
        {agent.name}
        {agent.default && <span className={styles.note}> default</span>}
      </th>
      <td>{ORIGINS[agent.origin]}</td>
      <td>
        <code>{agent.upstream ?? agent.url}</code>
        <p className={styles.result} role="status">
          {check === "testing" && "Testing…"}
          {check !== undefined && check !== "testing" && (
            <span data-state={check.state}>
              <strong>{SIGNS[check.state]}</strong> {check.message} {check.hint}
            </span>
          )}
        </p>
      </td>
      {isAdmin && (
        <td className={styles.buttons}>
          {!agent.builtIn && (
            <Button kind="quiet" aria-label={`Test ${agent.name}`} onClick={onCheck}>
              Test
            </Button>
          )}
          {agent.origin === "added" && (
            <Button kind="quiet" aria-label={`Remove ${agent.name}`} onClick={onRemove}>
              Remove
            </Button>
          )}
        </td>
      )}
    </tr>
  );
}

function UpstreamForm({ onAdded }: { onAdded: (name: string) => void }) {
  const [name, setName] = useState("");
  const [url, setUrl] = useState("");
  const [token, setToken] = useState("");
  const [error, setError] = useState<RequestError | undefined>();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    try {
      const headers = token.trim() === "" ? {} : { Authorization: token.trim() };
      await client.addUpstream(name.trim(), { url: url.trim(), headers });
      setError(undefined);
      onAdded(name.trim());
      setName("");
      setUrl("");
      setToken("");
    } catch (cause) {
      setError(cause instanceof RequestError ? cause : RequestError.offline(cause));
    }
  };
  return (
    <form className={styles.form} aria-label="Add an agent" onSubmit={submit}>
      <div className={styles.row}>
        <label className={styles.field}>
          Name
          <input
            value={name}
            required
            maxLength={64}
            pattern="[A-Za-z0-9_\-]+"
            title="Letters, digits, hyphens and underscores"
            autoComplete="off"
            onChange={(event) => setName(event.target.value)}
          />
        </label>
        <label className={`${styles.field} ${styles.wide}`}>
          Address of the AG-UI agent
          <input
            type="url"
            value={url}
            required
            placeholder="http://localhost:8000/"
            onChange={(event) => setUrl(event.target.value)}
          />
        </label>
        <label className={styles.field}>
          Authorization header (optional)
          <input
            type="password"
            value={token}
            placeholder="Bearer …"
            autoComplete="off"
            onChange={(event) => setToken(event.target.value)}
          />
        </label>
        <Button type="submit">Add and test</Button>
      </div>
      {error && <ErrorNotice error={error} />}
      <p>
        Agents that are added here are kept in the store. The configuration file is not changed and
        wins.
      </p>
    </form>
  );
}
