import type { ServerInfo } from "@pincite/client";
import { Link } from "wouter";
import { client } from "../api/client.js";
import { formatBytes, formatNumber } from "../ui/format.js";
import styles from "./SettingsPage.module.css";

const PART_NAMES: Readonly<
  Record<NonNullable<ServerInfo["storage"]>["parts"][number]["name"], string>
> = {
  database: "Threads, evidence and keys",
  documents: "Files and their text",
  index: "Search index",
  other: "Other",
};

/** Documents and storage of the server, and the export of all data. */
export function DataSettings({ server }: { server: ServerInfo | undefined }) {
  return (
    <>
      {server && (
        <p>
          {countText(server.library.ready, "document can", "documents can")} be searched, in{" "}
          {countText(server.library.chunks, "passage", "passages")}.
          {server.library.open > 0 && ` ${formatNumber(server.library.open)} are being read.`}
          {server.library.failed > 0 &&
            ` ${formatNumber(server.library.failed)} could not be read.`}{" "}
          Everything is stored on the machine that runs the server.
        </p>
      )}
      {server?.storage && <StorageTable storage={server.storage} />}
      {server?.configuration && (
        <p>
          Configuration: <code>{server.configuration}</code>
        </p>
      )}
      <div className={styles.actions}>
        <a href={client.url("/me/export")} download="pincite-export.jsonl">
          Export all your data
        </a>
        <Link href="/settings/context">Shared with agents</Link>
        <a href={client.url("/app/api")}>HTTP API</a>
      </div>
    </>
  );
}

function countText(count: number, one: string, many: string): string {
  return `${formatNumber(count)} ${count === 1 ? one : many}`;
}

function StorageTable({ storage }: { storage: NonNullable<ServerInfo["storage"]> }) {
  const total = storage.parts.reduce((sum, part) => sum + part.bytes, 0);
  return (
    <div className={styles.frame}>
      <table className={styles.table} aria-label="Storage">
        <thead>
          <tr>
            <th scope="col">
              <code>{storage.directory}</code>
            </th>
            <th scope="col" className={styles.number}>
              Size
            </th>
          </tr>
        </thead>
        <tbody>
          {storage.parts.map((part) => (
            <tr key={part.name}>
              <th scope="row">{PART_NAMES[part.name]}</th>
              <td className={styles.number}>{formatBytes(part.bytes)}</td>
            </tr>
          ))}
          <tr>
            <th scope="row">Together</th>
            <td className={styles.number}>
              <strong>{formatBytes(total)}</strong>
            </td>
          </tr>
        </tbody>
      </table>
    </div>
  );
}
