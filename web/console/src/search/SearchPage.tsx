import { Page } from "../shell/Page.js";
import { EmptyState } from "../ui/EmptyState.js";

/** Find passages in your documents. */
export default function SearchPage() {
  return (
    <Page title="Search">
      <EmptyState title="Find passages in your documents." />
    </Page>
  );
}
