import {
  type AccessKeyInfo,
  type AccessKeyRequest,
  type CreatedAccessKey,
  RequestError,
  type SessionInfo,
} from "@pincite/client";
import { type FormEvent, useState } from "react";
import { client } from "../api/client.js";
import { signIn } from "../api/session.js";
import { useRequest } from "../api/useRequest.js";
import { Button } from "../ui/Button.js";
import { CopyButton } from "../ui/CopyButton.js";
import { ErrorNotice } from "../ui/ErrorNotice.js";
import { formatTime } from "../ui/format.js";
import styles from "./SettingsPage.module.css";

type Scope = NonNullable<AccessKeyRequest["scopes"]>[number];
const SCOPES: Readonly<Record<Scope, string>> = {
  read: "Read",
  write: "Read and ask",
  admin: "Administer",
};

/** Access keys: list, creation and revocation. */
export function KeySettings({ session }: { session: SessionInfo }) {
  const { data, error, reload } = useRequest(() => client.keys(), []);
  const [failure, setFailure] = useState<RequestError | undefined>();
  const [created, setCreated] = useState<CreatedAccessKey | undefined>();
  const attempt = async (work: () => Promise<void>) => {
    try {
      await work();
      setFailure(undefined);
    } catch (cause) {
      setFailure(cause instanceof RequestError ? cause : RequestError.offline(cause));
    }
    reload();
  };
  const create = (body: AccessKeyRequest) =>
    attempt(async () => {
      const key = await client.createKey(body);
      setCreated(key);
      // From the first key on the server needs one, so this browser signs in with it.
      if (!session.needsKey) await signIn(key.secret);
    });
  const revoke = (id: string) => attempt(async () => void (await client.revokeKey(id)));
  const keys = data?.items ?? [];
  return (
    <>
      {error && <ErrorNotice error={error} onAction={reload} />}
      {keys.length > 0 && <KeyTable keys={keys} onRevoke={(id) => void revoke(id)} />}
      {created && (
        <div className={styles.secret} role="status">
          <p>
            The secret of “{created.key.name}” is shown only now. Send it as{" "}
            <code>Authorization: Bearer …</code>.
          </p>
          <code>{created.secret}</code>
          <CopyButton label="Copy secret" text={() => created.secret} />
        </div>
      )}
      <KeyForm session={session} onCreate={(body) => void create(body)} />
      {failure && <ErrorNotice error={failure} />}
    </>
  );
}

function KeyTable({
  keys,
  onRevoke,
}: {
  keys: readonly AccessKeyInfo[];
  onRevoke: (id: string) => void;
}) {
  return (
    <div className={styles.frame}>
      <table className={styles.table} aria-label="Access keys">
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Principal</th>
            <th scope="col">Scopes</th>
            <th scope="col">State</th>
            <th scope="col">Last used</th>
            <th scope="col">
              <span className="visually-hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {keys.map((key) => (
            <tr key={key.id}>
              <th scope="row">
                <bdi>{key.name}</bdi>
              </th>
              <td>
                <bdi>{key.principal}</bdi>
              </td>
              <td>{key.scopes.join(", ")}</td>
              <td>
                {key.state === "valid" && key.expiresAt !== null
                  ? `valid until ${formatTime(key.expiresAt)}`
                  : key.state}
              </td>
              <td>{key.usedAt === null ? "Never" : formatTime(key.usedAt)}</td>
              <td className={styles.buttons}>
                {key.state === "valid" && (
                  <Button
                    kind="quiet"
                    aria-label={`Revoke ${key.name}`}
                    onClick={() => onRevoke(key.id)}
                  >
                    Revoke
                  </Button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function KeyForm({
  session,
  onCreate,
}: {
  session: SessionInfo;
  onCreate: (body: AccessKeyRequest) => void;
}) {
  const [name, setName] = useState("");
  const [scope, setScope] = useState<Scope>(session.needsKey ? "write" : "admin");
  const [isShared, setIsShared] = useState(true);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const scopes: Scope[] = scope === "read" ? ["read"] : ["read", "write"];
    onCreate({
      name: name.trim(),
      scopes: scope === "admin" ? [...scopes, "admin"] : scopes,
      ...(isShared ? {} : { principal: name.trim() }),
    });
    setName("");
  };
  return (
    <form className={styles.form} aria-label="Create an access key" onSubmit={submit}>
      <div className={styles.row}>
        <label className={styles.field}>
          Name of the key
          <input
            value={name}
            required
            maxLength={100}
            autoComplete="off"
            onChange={(event) => setName(event.target.value)}
          />
        </label>
        <label className={styles.field}>
          May
          <select
            value={scope}
            // The first key can administer; otherwise no further key could be created here.
            disabled={!session.needsKey}
            onChange={(event) => setScope(event.target.value as Scope)}
          >
            {Object.entries(SCOPES).map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        </label>
        <label className={styles.check}>
          <input
            type="checkbox"
            checked={isShared}
            disabled={!session.needsKey}
            onChange={(event) => setIsShared(event.target.checked)}
          />
          Shares your documents and threads
        </label>
        <Button type="submit">Create key</Button>
      </div>
    </form>
  );
}
