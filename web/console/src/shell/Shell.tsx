import { Library, LogOut, Menu, Search, Settings, X } from "lucide-react";
import {
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useState,
} from "react";
import { Link, useLocation } from "wouter";
import { signOut, useSession } from "../api/session.js";
import { ThreadList } from "../threads/ThreadList.js";
import { Button } from "../ui/Button.js";
import { ToastRegion } from "../ui/toast.js";
import { KeyboardHelp } from "./KeyboardHelp.js";
import { OfflineBar } from "./OfflineBar.js";
import styles from "./Shell.module.css";

interface ShellContextValue {
  openMenu: () => void;
  /** Element beside the main column, which holds the detail panel. */
  panelSlot: HTMLElement | null;
}

const ShellContext = createContext<ShellContextValue>({
  openMenu: () => undefined,
  panelSlot: null,
});

/** Returns the element that the detail panel is rendered into. */
export function usePanelSlot(): HTMLElement | null {
  return useContext(ShellContext).panelSlot;
}

/** Layout of all pages: threads on the left, the page in the middle, a detail panel on the right. */
export function Shell({ children }: { children: ReactNode }) {
  const [isMenuOpen, setIsMenuOpen] = useState(false);
  const [panelSlot, setPanelSlot] = useState<HTMLElement | null>(null);
  const [location] = useLocation();
  const session = useSession();
  const openMenu = useCallback(() => setIsMenuOpen(true), []);
  const context = useMemo(() => ({ openMenu, panelSlot }), [openMenu, panelSlot]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: opening a page closes the drawer.
  useEffect(() => setIsMenuOpen(false), [location]);
  useEffect(() => {
    if (!isMenuOpen) return;
    const close = (event: KeyboardEvent) => {
      if (event.key === "Escape") setIsMenuOpen(false);
    };
    document.addEventListener("keydown", close);
    return () => document.removeEventListener("keydown", close);
  }, [isMenuOpen]);

  return (
    <ShellContext value={context}>
      <div className={styles.shell}>
        <div className={styles.sidebar} data-open={isMenuOpen}>
          <header className={styles.brand}>
            <Link href="/" className={styles.name}>
              Pin<span>c</span>ite
            </Link>
            <Button
              kind="icon"
              className={styles.close}
              aria-label="Close menu"
              onClick={() => setIsMenuOpen(false)}
            >
              <X size={18} />
            </Button>
          </header>
          <ThreadList />
          <nav className={styles.pages} aria-label="Pages">
            <PageLink href="/library" icon={<Library size={18} />} label="Library" />
            <PageLink href="/search" icon={<Search size={18} />} label="Search" />
            <PageLink href="/settings" icon={<Settings size={18} />} label="Settings" />
            {session?.csrfToken && (
              <button type="button" onClick={() => void signOut()}>
                <LogOut size={18} />
                Sign out
              </button>
            )}
          </nav>
        </div>
        {isMenuOpen && (
          <div className={styles.scrim} onClick={() => setIsMenuOpen(false)} aria-hidden="true" />
        )}
        <main className={styles.main}>
          <OfflineBar />
          {children}
          <ToastRegion />
          <KeyboardHelp />
        </main>
        <div className={styles.panel} ref={setPanelSlot} />
      </div>
    </ShellContext>
  );
}

function PageLink({ href, icon, label }: { href: string; icon: ReactNode; label: string }) {
  const [location] = useLocation();
  const isCurrent = location === href || location.startsWith(`${href}/`);
  return (
    <Link href={href} aria-current={isCurrent ? "page" : undefined}>
      {icon}
      {label}
    </Link>
  );
}

/** Button that opens the drawer with the threads on narrow screens. */
export function ShellMenuButton() {
  const { openMenu } = useContext(ShellContext);
  return (
    <Button kind="icon" className={styles.menu} aria-label="Open menu" onClick={openMenu}>
      <Menu size={18} />
    </Button>
  );
}
