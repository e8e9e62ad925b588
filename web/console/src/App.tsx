import { lazy, Suspense } from "react";
import { Route, Router, Switch } from "wouter";
import { ChatPage } from "./chat/ChatPage.js";
import { NotFoundPage } from "./shell/NotFoundPage.js";
import { PageLoading } from "./shell/PageLoading.js";
import { SessionGate } from "./shell/SessionGate.js";
import { Shell } from "./shell/Shell.js";
import { useLocale } from "./ui/locale.js";

const LibraryPage = lazy(() => import("./library/LibraryPage.js"));
const DocumentPage = lazy(() => import("./library/DocumentPage.js"));
const SearchPage = lazy(() => import("./search/SearchPage.js"));
const SettingsPage = lazy(() => import("./settings/SettingsPage.js"));
const ContextGrantsPage = lazy(() => import("./canvas/ContextGrantsPage.js"));
const GalleryPage = lazy(() => import("./gallery/GalleryPage.js"));
const InspectorPage = lazy(() => import("./inspector/InspectorPage.js"));

/** Console: the shell with one page per address. Pages other than the chat are loaded when they are opened. */
export function App() {
  const locale = useLocale();
  return (
    <Router base="/app">
      <SessionGate>
        {/* Another language of dates and numbers renders everything again. */}
        <Shell key={locale}>
          <Suspense fallback={<PageLoading />}>
            <Switch>
              {/* One route for both addresses, so that the page stays when a first question creates its thread. */}
              <Route path={/^\/(?:threads\/(?<id>[^/]+)\/?)?$/}>
                {({ id }) => <ChatPage threadId={id} />}
              </Route>
              <Route path="/threads/:id/inspect">
                {({ id }) => <InspectorPage threadId={id} />}
              </Route>
              <Route path="/library">
                <LibraryPage />
              </Route>
              <Route path="/library/:id">{({ id }) => <DocumentPage id={id} />}</Route>
              <Route path="/search">
                <SearchPage />
              </Route>
              <Route path="/settings/context">
                <ContextGrantsPage />
              </Route>
              <Route path="/settings">
                <SettingsPage />
              </Route>
              <Route path="/gallery/:name?">{({ name }) => <GalleryPage name={name} />}</Route>
              <Route>
                <NotFoundPage />
              </Route>
            </Switch>
          </Suspense>
        </Shell>
      </SessionGate>
    </Router>
  );
}
