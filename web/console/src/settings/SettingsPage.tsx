import type { ReactNode } from "react";
import { client } from "../api/client.js";
import { useSession } from "../api/session.js";
import { useRequest } from "../api/useRequest.js";
import { Page } from "../shell/Page.js";
import { ErrorNotice } from "../ui/ErrorNotice.js";
import { AccessSettings } from "./AccessSettings.js";
import { AgentSettings } from "./AgentSettings.js";
import { AppearanceSettings } from "./AppearanceSettings.js";
import { DataSettings } from "./DataSettings.js";
import { ModelSettings } from "./ModelSettings.js";
import { ProjectionSettings } from "./ProjectionSettings.js";
import styles from "./SettingsPage.module.css";

/** Appearance, agents, models, access, projections and data. */
export default function SettingsPage() {
  const session = useSession();
  const server = useRequest(() => client.server(), []);
  const isAdmin = session?.scopes.includes("admin") ?? false;
  return (
    <Page title="Settings" subtitle={server.data ? `Pincite ${server.data.version}` : undefined}>
      <div className={styles.page}>
        {server.error && <ErrorNotice error={server.error} onAction={server.reload} />}
        <Section title="Appearance">
          <AppearanceSettings />
        </Section>
        <Section title="Agents">
          <AgentSettings isAdmin={isAdmin} />
        </Section>
        {server.data && (
          <Section title="Models">
            <ModelSettings server={server.data} />
          </Section>
        )}
        <Section title="Access">
          <AccessSettings isAdmin={isAdmin} />
        </Section>
        {server.data && (
          <Section title="Projections">
            <ProjectionSettings server={server.data} />
          </Section>
        )}
        <Section title="Your data">
          <DataSettings server={server.data} />
        </Section>
      </div>
    </Page>
  );
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className={styles.section} aria-label={title}>
      <h2 className={styles.heading}>{title}</h2>
      {children}
    </section>
  );
}
