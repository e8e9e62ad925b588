import type { ReactNode } from "react";
import { Page } from "../shell/Page.js";
import { AccessSettings } from "./AccessSettings.js";
import { AgentSettings } from "./AgentSettings.js";
import { DataSettings } from "./DataSettings.js";
import styles from "./SettingsPage.module.css";
import { ThemeSettings } from "./ThemeSettings.js";

/** Appearance, agents, access and data. */
export default function SettingsPage() {
  return (
    <Page title="Settings">
      <div className={styles.page}>
        <Section title="Appearance">
          <ThemeSettings />
        </Section>
        <Section title="Agents">
          <AgentSettings />
        </Section>
        <Section title="Access">
          <AccessSettings />
        </Section>
        <Section title="Your data">
          <DataSettings />
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
