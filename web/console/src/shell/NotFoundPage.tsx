import { Link } from "wouter";
import { EmptyState } from "../ui/EmptyState.js";
import { Page } from "./Page.js";

/** Page for addresses that do not exist. */
export function NotFoundPage() {
  return (
    <Page title="Page not found">
      <EmptyState title="There is no page at this address.">
        <Link href="/">Ask a question</Link>
      </EmptyState>
    </Page>
  );
}
