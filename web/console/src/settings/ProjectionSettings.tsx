import type { ServerInfo } from "@pincite/client";
import styles from "./SettingsPage.module.css";

const PURPOSES: Readonly<Record<ServerInfo["projections"][number]["name"], string>> = {
  deepcitation: "All citations with their verifications",
  citations: "One list of citations for each message",
  rag: "Questions and answers with numbered sources",
};

/** Forms in which citations are written to the state of threads, for other frontends. */
export function ProjectionSettings({ server }: { server: ServerInfo }) {
  return (
    <>
      <p>
        Other frontends read citations from the state of a thread. The setting{" "}
        <code>citations.projections</code> chooses the forms.
      </p>
      <div className={styles.frame}>
        <table className={styles.table} aria-label="Forms of citations">
          <thead>
            <tr>
              <th scope="col">Projection</th>
              <th scope="col">Content</th>
              <th scope="col">Key of the state</th>
              <th scope="col">Written</th>
            </tr>
          </thead>
          <tbody>
            {server.projections.map((projection) => (
              <tr key={projection.name}>
                <th scope="row">{projection.name}</th>
                <td>{PURPOSES[projection.name]}</td>
                <td>
                  <code>{projection.key}</code>
                </td>
                <td>{projection.isOn ? "✓ on" : "Off"}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}
