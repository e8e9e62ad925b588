import { client } from "../api/client.js";
import { useRequest } from "../api/useRequest.js";
import { Page } from "../shell/Page.js";
import { ErrorNotice } from "../ui/ErrorNotice.js";

/** Events, state and timings of a thread, for developers. */
export default function InspectorPage({ threadId }: { threadId: string }) {
  const { data, error, reload } = useRequest(() => client.thread(threadId), [threadId]);
  return (
    <Page title="Inspector" subtitle={data?.title ?? threadId}>
      {error && <ErrorNotice error={error} onAction={reload} />}
    </Page>
  );
}
