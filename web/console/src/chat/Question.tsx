import { type Message, messageText } from "@pincite/client";
import { FileText } from "lucide-react";
import { useState } from "react";
import { Link } from "wouter";
import { Button } from "../ui/Button.js";
import { messageAttachments } from "./attachments.js";
import styles from "./Question.module.css";

/** Question of a person. Editing it asks again in a branch of the thread. */
export function Question({
  message,
  canEdit,
  onEdit,
}: {
  message: Message;
  canEdit: boolean;
  onEdit: (message: Message, text: string) => Promise<void>;
}) {
  const [draft, setDraft] = useState<string | undefined>();
  const text = messageText(message);
  const attachments = messageAttachments(message);
  const submit = () => {
    if (draft === undefined || draft.trim() === "") return;
    void onEdit(message, draft.trim());
    setDraft(undefined);
  };
  return (
    <article className={styles.question} aria-label="You">
      {draft === undefined ? (
        <p className={styles.text} dir="auto">
          {text}
        </p>
      ) : (
        <form
          className={styles.form}
          onSubmit={(event) => {
            event.preventDefault();
            submit();
          }}
        >
          <textarea
            aria-label="Edited question"
            value={draft}
            rows={2}
            // biome-ignore lint/a11y/noAutofocus: the person asked to edit this text.
            autoFocus
            onChange={(event) => setDraft(event.target.value)}
            onKeyDown={(event) => {
              if (event.key === "Escape") {
                event.preventDefault();
                setDraft(undefined);
              }
            }}
          />
          <div className={styles.buttons}>
            <Button type="submit">Ask again</Button>
            <Button kind="quiet" onClick={() => setDraft(undefined)}>
              Cancel
            </Button>
            <span>The thread stays as it is; a branch is made.</span>
          </div>
        </form>
      )}
      {attachments.length > 0 && (
        <ul className={styles.attachments} aria-label="Attached documents">
          {attachments.map((attachment) => (
            <li key={attachment.id}>
              <Link href={`/library/${encodeURIComponent(attachment.id)}`}>
                <FileText size={14} aria-hidden="true" />
                {attachment.filename}
              </Link>
            </li>
          ))}
        </ul>
      )}
      {canEdit && draft === undefined && (
        <Button kind="quiet" className={styles.edit ?? ""} onClick={() => setDraft(text)}>
          Edit
        </Button>
      )}
    </article>
  );
}
