import type { ServerInfo } from "@pincite/client";
import styles from "./SettingsPage.module.css";

/** Models of the reader and the keys of their providers. Keys are read from the environment and never shown. */
export function ModelSettings({ server }: { server: ServerInfo }) {
  const { models, providers } = server;
  return (
    <>
      {models.length === 0 ? (
        <p>
          No model is configured: the reader quotes sentences of your documents, and no request
          leaves this machine. Start the server with <code>PINCITE_MODEL=anthropic</code>, or set{" "}
          <code>models.default</code>, to have a model answer.
        </p>
      ) : (
        <ol className={styles.models}>
          {models.map((model, position) => (
            <li key={model.name}>
              <code>{model.name}</code> {position === 0 ? "answers" : "is tried next"}
              {!model.hasKey && <strong>, but its key is missing</strong>}
            </li>
          ))}
        </ol>
      )}
      <div className={styles.frame}>
        <table className={styles.table} aria-label="Keys of model providers">
          <thead>
            <tr>
              <th scope="col">Provider</th>
              <th scope="col">Environment variable</th>
              <th scope="col">Key</th>
            </tr>
          </thead>
          <tbody>
            {providers.map((provider) => (
              <tr key={provider.name}>
                <th scope="row">{provider.name}</th>
                <td>
                  {provider.keyVariable ? <code>{provider.keyVariable}</code> : "None needed"}
                </td>
                <td>{provider.keyVariable ? (provider.hasKey ? "✓ found" : "Not set") : "—"}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}
