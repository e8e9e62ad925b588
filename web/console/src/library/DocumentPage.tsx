import { client } from "../api/client.js";
import { useRequest } from "../api/useRequest.js";
import { Page } from "../shell/Page.js";
import { ErrorNotice } from "../ui/ErrorNotice.js";

/** Document with its pages. */
export default function DocumentPage({ id }: { id: string }) {
  const { data, error, reload } = useRequest(() => client.document(id), [id]);
  return (
    <Page title={data?.title ?? data?.filename ?? "Document"}>
      {error && <ErrorNotice error={error} onAction={reload} />}
    </Page>
  );
}
