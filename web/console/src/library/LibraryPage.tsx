import { Page } from "../shell/Page.js";
import { EmptyState } from "../ui/EmptyState.js";

/** Documents that your agents can cite. */
export default function LibraryPage() {
  return (
    <Page title="Library">
      <EmptyState title="Documents that your agents can cite." />
    </Page>
  );
}
