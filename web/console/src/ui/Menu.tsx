import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from "react";
import { Button } from "./Button.js";
import styles from "./Menu.module.css";

/** Entry of a menu. */
export interface MenuItem {
  label: string;
  onSelect: () => void;
}

/** Button that opens a menu. Arrow keys move in it, Escape closes it. */
export function Menu({
  label,
  describedBy,
  items,
  kind = "quiet",
  className = "",
  children,
}: {
  /** Accessible name of the button; its content if absent. */
  label?: string;
  describedBy?: string;
  items: readonly MenuItem[];
  kind?: "quiet" | "icon";
  className?: string;
  children: ReactNode;
}) {
  const [isOpen, setIsOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const menuId = useId();

  useEffect(() => {
    if (!isOpen) return;
    root.current?.querySelector<HTMLElement>("[role=menuitem]")?.focus();
    const closeOutside = (event: PointerEvent) => {
      if (!root.current?.contains(event.target as Node)) setIsOpen(false);
    };
    document.addEventListener("pointerdown", closeOutside);
    return () => document.removeEventListener("pointerdown", closeOutside);
  }, [isOpen]);

  const close = () => {
    setIsOpen(false);
    button.current?.focus();
  };
  const move = (event: KeyboardEvent) => {
    const entries = [...(root.current?.querySelectorAll<HTMLElement>("[role=menuitem]") ?? [])];
    const current = entries.indexOf(document.activeElement as HTMLElement);
    const targets: Record<string, number> = {
      ArrowDown: (current + 1) % entries.length,
      ArrowUp: (current - 1 + entries.length) % entries.length,
      Home: 0,
      End: entries.length - 1,
    };
    if (event.key === "Escape" || event.key === "Tab") {
      if (event.key === "Escape") event.preventDefault();
      close();
    } else if (Object.hasOwn(targets, event.key)) {
      event.preventDefault();
      entries[targets[event.key] ?? 0]?.focus();
    }
  };

  return (
    <div ref={root} className={`${styles.menu} ${className}`}>
      <Button
        ref={button}
        kind={kind}
        aria-label={label}
        aria-describedby={describedBy}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-controls={isOpen ? menuId : undefined}
        onClick={() => setIsOpen(!isOpen)}
      >
        {children}
      </Button>
      {isOpen && (
        <div id={menuId} role="menu" aria-label={label} className={styles.list} onKeyDown={move}>
          {items.map((item) => (
            <button
              key={item.label}
              type="button"
              role="menuitem"
              tabIndex={-1}
              onClick={() => {
                close();
                item.onSelect();
              }}
            >
              {item.label}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}
