import { type DocumentInfo, RequestError } from "@pincite/client";
import { X } from "lucide-react";
import { type FormEvent, useState } from "react";
import { client } from "../api/client.js";
import { Button } from "../ui/Button.js";
import { ErrorNotice } from "../ui/ErrorNotice.js";
import { formatBytes, formatTime } from "../ui/format.js";
import styles from "./DocumentDetails.module.css";
import { DocumentState } from "./DocumentState.js";
import { replaceDocument } from "./documentStore.js";

/** Facts about a document, its title and its labels, which can be changed. */
export function DocumentDetails({
  document,
  onChanged,
}: {
  document: DocumentInfo;
  onChanged: () => void;
}) {
  const [error, setError] = useState<RequestError | undefined>();
  const change = async (body: { title?: string | null; labels?: string[] }) => {
    try {
      replaceDocument(await client.changeDocument(document.id, body));
      setError(undefined);
      onChanged();
    } catch (cause) {
      setError(cause instanceof RequestError ? cause : RequestError.offline(cause));
    }
  };
  return (
    <section className={styles.details} aria-label="About this document">
      <h2 className={styles.heading}>About this document</h2>
      <dl className={styles.facts}>
        {document.filename && <Fact name="File">{document.filename}</Fact>}
        {document.url && <Fact name="Address">{document.url}</Fact>}
        {document.path && <Fact name="Path">{document.path}</Fact>}
        <Fact name="Type">{document.mimeType}</Fact>
        <Fact name="Size">{formatBytes(document.fileSize)}</Fact>
        <Fact name="Added">{formatTime(document.createdAt)}</Fact>
      </dl>
      <p>
        <DocumentState document={document} />
      </p>
      {document.superseded && (
        <p className={styles.note}>A newer version of this file has replaced it in search.</p>
      )}
      {document.warnings?.map((warning) => (
        <p key={warning} className={styles.note}>
          {warning}
        </p>
      ))}
      <TitleForm title={document.title ?? ""} onSave={(title) => void change({ title })} />
      <Labels labels={document.labels} onChange={(labels) => void change({ labels })} />
      {error && <ErrorNotice error={error} />}
    </section>
  );
}

function Fact({ name, children }: { name: string; children: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <bdi>{children}</bdi>
      </dd>
    </div>
  );
}

function TitleForm({ title, onSave }: { title: string; onSave: (title: string | null) => void }) {
  const [text, setText] = useState(title);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSave(text.trim() === "" ? null : text.trim());
  };
  return (
    <form className={styles.form} onSubmit={submit}>
      <label>
        Title
        <input value={text} maxLength={300} onChange={(event) => setText(event.target.value)} />
      </label>
      <Button type="submit" disabled={text.trim() === title}>
        Save title
      </Button>
    </form>
  );
}

function Labels({
  labels,
  onChange,
}: {
  labels: readonly string[];
  onChange: (labels: string[]) => void;
}) {
  const [text, setText] = useState("");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onChange([...labels, text.trim()]);
    setText("");
  };
  return (
    <form className={styles.form} onSubmit={submit}>
      {labels.length > 0 && (
        <ul className={styles.labels} aria-label="Labels">
          {labels.map((label) => (
            <li key={label}>
              {label}
              <button
                type="button"
                aria-label={`Remove label ${label}`}
                onClick={() => onChange(labels.filter((other) => other !== label))}
              >
                <X size={14} />
              </button>
            </li>
          ))}
        </ul>
      )}
      <label>
        New label
        <input value={text} maxLength={100} onChange={(event) => setText(event.target.value)} />
      </label>
      <Button type="submit" disabled={text.trim() === "" || labels.includes(text.trim())}>
        Add label
      </Button>
    </form>
  );
}
