import { type ContextGrantInfo, type ContextGrantList, path, RequestError } from "@pincite/client";
import { useState } from "react";
import { client } from "../api/client.js";
import { useRequest } from "../api/useRequest.js";
import { Page } from "../shell/Page.js";
import { PageLoading } from "../shell/PageLoading.js";
import { Button } from "../ui/Button.js";
import { EmptyState } from "../ui/EmptyState.js";
import { ErrorNotice } from "../ui/ErrorNotice.js";
import { formatTime } from "../ui/format.js";
import styles from "./ContextGrantsPage.module.css";

/** Standing decisions about fields that agents asked for. Each can be revoked; the agent then has to ask again. */
export default function ContextGrantsPage() {
  const { data, error, isLoading, reload } = useRequest(
    () => client.json<ContextGrantList>("GET", "/context-grants"),
    [],
  );
  const [failure, setFailure] = useState<RequestError>();
  const revoke = async (grant: ContextGrantInfo) => {
    setFailure(undefined);
    try {
      await client.send("DELETE", path`/context-grants/${grant.id}`);
      reload();
    } catch (cause) {
      setFailure(cause instanceof RequestError ? cause : RequestError.offline(cause));
    }
  };
  const grants = data?.items ?? [];
  return (
    <Page title="Shared with agents">
      <div className={styles.page}>
        {error && <ErrorNotice error={error} onAction={reload} />}
        {failure && <ErrorNotice error={failure} />}
        {isLoading && !data && <PageLoading />}
        {data && grants.length === 0 && (
          <EmptyState title="Agents may ask for fields such as your time zone. Decisions to share a field always or never are listed here." />
        )}
        {grants.length > 0 && (
          <table className={styles.table}>
            <thead>
              <tr>
                <th scope="col">Agent</th>
                <th scope="col">Field</th>
                <th scope="col">Decision</th>
                <th scope="col">Since</th>
                <th scope="col">
                  <span className={styles.hidden}>Change</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {grants.map((grant) => (
                <tr key={grant.id}>
                  <td>
                    <bdi>{grant.agentId}</bdi>
                  </td>
                  <td>
                    <code>{grant.field}</code>
                  </td>
                  <td>{grant.decision === "always" ? "Always shared" : "Never shared"}</td>
                  <td>{formatTime(grant.at)}</td>
                  <td>
                    <Button
                      aria-label={`Revoke the decision about ${grant.field} for ${grant.agentId}`}
                      onClick={() => void revoke(grant)}
                    >
                      Revoke
                    </Button>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </div>
    </Page>
  );
}
