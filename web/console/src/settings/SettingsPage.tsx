import { Page } from "../shell/Page.js";
import { EmptyState } from "../ui/EmptyState.js";

/** Agents, keys, storage and appearance. */
export default function SettingsPage() {
  return (
    <Page title="Settings">
      <EmptyState title="Agents, keys, storage and appearance." />
    </Page>
  );
}
