import { Plus } from "lucide-react";
import { type FormEvent, useRef, useState } from "react";
import { Button } from "../ui/Button.js";
import styles from "./AddDocuments.module.css";

/** Button that opens a dialog for adding documents: files, a folder, or an address. */
export function AddDocuments({
  onFiles,
  onUrl,
}: {
  onFiles: (files: File[]) => void;
  onUrl: (url: string) => void;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const close = () => dialog.current?.close();
  return (
    <>
      <Button kind="primary" onClick={() => dialog.current?.showModal()}>
        <Plus size={18} aria-hidden="true" />
        Add documents
      </Button>
      <dialog ref={dialog} className={styles.dialog} aria-labelledby="add-title">
        <h2 id="add-title" className={styles.title}>
          Choose what to add
        </h2>
        <p className={styles.hint}>
          PDF, Word, HTML, Markdown, text and images. Files can also be dropped on the page.
        </p>
        <div className={styles.choices}>
          <FileChoice label="Files" onFiles={onFiles} onDone={close} />
          <FileChoice label="Folder" isFolder onFiles={onFiles} onDone={close} />
        </div>
        <UrlForm onUrl={onUrl} onDone={close} />
        <div className={styles.end}>
          <Button onClick={close}>Cancel</Button>
        </div>
      </dialog>
    </>
  );
}

function FileChoice({
  label,
  isFolder = false,
  onFiles,
  onDone,
}: {
  label: string;
  isFolder?: boolean;
  onFiles: (files: File[]) => void;
  onDone: () => void;
}) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button onClick={() => input.current?.click()}>{label}</Button>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        {...(isFolder ? { webkitdirectory: "" } : {})}
        onChange={(event) => {
          onFiles([...(event.target.files ?? [])].filter((file) => !file.name.startsWith(".")));
          event.target.value = "";
          onDone();
        }}
      />
    </>
  );
}

function UrlForm({ onUrl, onDone }: { onUrl: (url: string) => void; onDone: () => void }) {
  const [url, setUrl] = useState("");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onUrl(url.trim());
    setUrl("");
    onDone();
  };
  return (
    <form className={styles.address} onSubmit={submit}>
      <input
        type="url"
        required
        pattern="https?://.+"
        aria-label="Address of a document"
        placeholder="https://example.org/report.pdf"
        value={url}
        onChange={(event) => setUrl(event.target.value)}
      />
      <Button type="submit">Fetch</Button>
    </form>
  );
}
