import type { ThreadInfo } from "@pincite/client";
import { Ellipsis } from "lucide-react";
import { useId, useState } from "react";
import { Link, useLocation } from "wouter";
import { Menu } from "../ui/Menu.js";
import styles from "./ThreadList.module.css";
import { archiveThread, deleteThread, renameThread } from "./threadActions.js";
import { threadTitle } from "./threadTitle.js";

/** Thread in the list: a link, and a menu to rename, archive or delete it. */
export function ThreadEntry({ thread, isCurrent }: { thread: ThreadInfo; isCurrent: boolean }) {
  const [isRenaming, setIsRenaming] = useState(false);
  const [, navigate] = useLocation();
  const linkId = useId();
  if (isRenaming) {
    return (
      <li>
        <RenameField
          title={thread.title ?? ""}
          onEnd={(title) => {
            setIsRenaming(false);
            if (title !== undefined) void renameThread(thread.id, title);
          }}
        />
      </li>
    );
  }
  return (
    <li>
      <Link
        id={linkId}
        href={`/threads/${encodeURIComponent(thread.id)}`}
        aria-current={isCurrent ? "page" : undefined}
        title={threadTitle(thread)}
      >
        {threadTitle(thread)}
      </Link>
      <Menu
        kind="icon"
        className={styles.menu ?? ""}
        label="Thread actions"
        describedBy={linkId}
        items={[
          { label: "Rename", onSelect: () => setIsRenaming(true) },
          {
            label: thread.archived ? "Restore" : "Archive",
            onSelect: () => void archiveThread(thread.id, !thread.archived),
          },
          {
            label: "Delete",
            onSelect: () => {
              deleteThread(thread);
              if (isCurrent) navigate("/");
            },
          },
        ]}
      >
        <Ellipsis size={16} aria-hidden="true" />
      </Menu>
    </li>
  );
}

/** Field for the title of a thread. Enter or leaving it accepts, Escape discards. */
function RenameField({
  title,
  onEnd,
}: {
  title: string;
  onEnd: (title: string | undefined) => void;
}) {
  const [text, setText] = useState(title);
  return (
    <input
      className={styles.rename}
      aria-label="Title"
      value={text}
      // biome-ignore lint/a11y/noAutofocus: the person asked to rename this thread.
      autoFocus
      onChange={(event) => setText(event.target.value)}
      onBlur={() => onEnd(text)}
      onKeyDown={(event) => {
        if (event.key === "Enter") onEnd(text);
        if (event.key === "Escape") {
          event.preventDefault();
          onEnd(undefined);
        }
      }}
    />
  );
}
