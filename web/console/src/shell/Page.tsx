import { type ReactNode, useEffect } from "react";
import styles from "./Page.module.css";
import { ShellMenuButton } from "./Shell.js";

/** Page in the middle column: a head with the only `h1`, actions beside it, then the content. */
export function Page({
  title,
  subtitle,
  actions,
  isFilled = false,
  children,
}: {
  title: string;
  subtitle?: ReactNode;
  actions?: ReactNode;
  /** True if the content fills the height and scrolls by itself. */
  isFilled?: boolean;
  children: ReactNode;
}) {
  useDocumentTitle(title);
  return (
    <>
      <div className={styles.head}>
        <ShellMenuButton />
        <h1 className={styles.title}>{title}</h1>
        {subtitle && <div className={styles.subtitle}>{subtitle}</div>}
        {actions && <div className={styles.actions}>{actions}</div>}
      </div>
      <div className={isFilled ? styles.filled : styles.body}>{children}</div>
    </>
  );
}

/** Sets the title of the browser tab while the component is shown. */
export function useDocumentTitle(title: string): void {
  useEffect(() => {
    document.title = title === "" ? "Pincite" : `${title} · Pincite`;
  }, [title]);
}
