import "@pincite/react/theme.css";
import { Link } from "wouter";
import { Page } from "../shell/Page.js";
import { GALLERY_EXAMPLES } from "./examples.js";
import styles from "./GalleryPage.module.css";

/** Live examples of the parts of `@pincite/react`: all of them, or one. */
export default function GalleryPage({ name }: { name?: string | undefined }) {
  const shown = GALLERY_EXAMPLES.filter((example) => name === undefined || example.name === name);
  return (
    <Page
      title={name ?? "Gallery"}
      subtitle="Parts of @pincite/react for your own frontend, with its optional theme"
    >
      <div className={styles.gallery}>
        {name !== undefined && <Link href="/gallery">All parts</Link>}
        {shown.length === 0 && <p>There is no part with this name.</p>}
        {shown.map((example) => (
          <section key={example.name} aria-labelledby={`part-${example.name}`}>
            <h2 id={`part-${example.name}`}>
              <Link href={`/gallery/${example.name}`}>{example.name}</Link>
            </h2>
            <p>{example.description}</p>
            <pre className={styles.usage} tabIndex={0}>
              <code>{example.usage}</code>
            </pre>
            <div className={`pincite ${styles.example}`}>{example.render()}</div>
          </section>
        ))}
      </div>
    </Page>
  );
}
