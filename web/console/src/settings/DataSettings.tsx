import { Link } from "wouter";
import { client } from "../api/client.js";
import { useRequest } from "../api/useRequest.js";
import { ErrorNotice } from "../ui/ErrorNotice.js";
import { formatBytes } from "../ui/format.js";
import styles from "./SettingsPage.module.css";

const PAGE_SIZE = 100;

/** Size of the library, and the export of all data. */
export function DataSettings() {
  const { data, error, reload } = useRequest(sumDocuments, []);
  return (
    <>
      {error && <ErrorNotice error={error} onAction={reload} />}
      {data && (
        <p>
          {data.count.toLocaleString()} {data.count === 1 ? "document" : "documents"} with{" "}
          {formatBytes(data.bytes)} and {data.pages.toLocaleString()} pages. Everything is stored on
          the machine that runs the server.
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

async function sumDocuments(): Promise<{ count: number; bytes: number; pages: number }> {
  const sum = { count: 0, bytes: 0, pages: 0 };
  let after: string | undefined;
  do {
    const page = await client.documents({ limit: PAGE_SIZE, after });
    for (const document of page.items) {
      sum.count += 1;
      sum.bytes += document.fileSize;
      sum.pages += document.pageCount ?? 0;
    }
    after = page.next ?? undefined;
  } while (after !== undefined);
  return sum;
}
