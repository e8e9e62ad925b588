import { ArrowUp, Paperclip, Square } from "lucide-react";
import {
  type ChangeEvent,
  type ClipboardEvent,
  type DragEvent,
  type KeyboardEvent,
  type Ref,
  useImperativeHandle,
  useRef,
  useState,
} from "react";
import { Button } from "../ui/Button.js";
import type { MessageAttachment } from "./attachments.js";
import styles from "./Prompt.module.css";
import { PromptUploads } from "./PromptUploads.js";
import { useUploads } from "./useUploads.js";

/** Control of the prompt from outside. */
export interface PromptHandle {
  focus: () => void;
  setText: (text: string) => void;
}

/** Field for the next question, with attachments and the choice of the agent. */
export function Prompt({
  agents,
  agent,
  onAgentChange,
  isRunning,
  onSend,
  onStop,
  handle,
}: {
  agents: readonly string[];
  agent: string | undefined;
  onAgentChange: (agent: string) => void;
  isRunning: boolean;
  onSend: (text: string, attachments: MessageAttachment[]) => void;
  onStop: () => void;
  handle?: Ref<PromptHandle>;
}) {
  const [text, setText] = useState("");
  const [isDropTarget, setIsDropTarget] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const picker = useRef<HTMLInputElement>(null);
  const { uploads, add, remove, clear } = useUploads();
  useImperativeHandle(handle, () => ({
    focus: () => field.current?.focus(),
    setText: (value) => {
      setText(value);
      field.current?.focus();
    },
  }));

  const isUploading = uploads.some((upload) => !upload.document && !upload.error);
  const canSend = text.trim() !== "" && !isRunning && !isUploading && agent !== undefined;
  const send = () => {
    if (!canSend) return;
    const attached = uploads.flatMap(({ document, filename }) =>
      document ? [{ id: document.id, filename: document.filename ?? filename }] : [],
    );
    onSend(text.trim(), attached);
    setText("");
    clear();
  };
  const sendByKey = (event: KeyboardEvent) => {
    // Enter that ends the composition of a character is not meant to send.
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  };
  const paste = (event: ClipboardEvent) => {
    if (event.clipboardData.files.length === 0) return;
    event.preventDefault();
    add(event.clipboardData.files);
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setIsDropTarget(false);
    add(event.dataTransfer.files);
  };
  const pick = (event: ChangeEvent<HTMLInputElement>) => {
    add(Array.from(event.target.files ?? []));
    event.target.value = "";
  };

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is an extra; the button attaches files, too.
    <div
      className={styles.prompt}
      data-drop={isDropTarget}
      onDragOver={(event) => {
        event.preventDefault();
        setIsDropTarget(true);
      }}
      onDragLeave={() => setIsDropTarget(false)}
      onDrop={drop}
    >
      <PromptUploads uploads={uploads} onRemove={remove} />
      <textarea
        ref={field}
        className={styles.field}
        aria-label="Message"
        placeholder="Ask about your documents"
        rows={1}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={sendByKey}
        onPaste={paste}
      />
      <div className={styles.bar}>
        <Button kind="quiet" aria-label="Attach files" onClick={() => picker.current?.click()}>
          <Paperclip size={18} aria-hidden="true" />
          <span aria-hidden="true">Attach</span>
        </Button>
        <input
          ref={picker}
          type="file"
          multiple
          hidden
          onChange={pick}
          aria-hidden="true"
          tabIndex={-1}
        />
        {agents.length > 0 && (
          <select
            className={styles.agent}
            aria-label="Agent"
            value={agent ?? ""}
            onChange={(event) => onAgentChange(event.target.value)}
          >
            {agents.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        )}
        {isRunning ? (
          <Button className={styles.send ?? ""} onClick={onStop}>
            <Square size={14} aria-hidden="true" />
            Stop
          </Button>
        ) : (
          <Button kind="primary" className={styles.send ?? ""} disabled={!canSend} onClick={send}>
            <ArrowUp size={18} aria-hidden="true" />
            Send
          </Button>
        )}
      </div>
    </div>
  );
}
