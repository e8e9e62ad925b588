import type { ComponentProps } from "react";
import styles from "./Button.module.css";

/** Button. A view has at most one `primary` button; `quiet` ones have no border. */
export function Button({
  kind = "default",
  className = "",
  ...props
}: ComponentProps<"button"> & { kind?: "primary" | "default" | "quiet" | "icon" }) {
  return (
    <button type="button" className={`${styles.button} ${styles[kind]} ${className}`} {...props} />
  );
}
