import { type ComponentPropsWithoutRef, useLayoutEffect, useRef, useState } from "react";

/** Properties of a prompt. */
export interface PromptInputProps extends Omit<ComponentPropsWithoutRef<"form">, "onSubmit"> {
  onSubmit: (text: string) => void;
  /** Text, if the parent holds it. */
  value?: string;
  onValueChange?: (text: string) => void;
  placeholder?: string;
  /** Name of the text field for assistive technology. */
  label?: string;
  /** True while a run is in progress: the button then stops it. */
  isRunning?: boolean;
  onStop?: () => void;
  disabled?: boolean;
}

/**
 * Text field that grows with its text. Enter sends it, Shift and Enter begin a new line; Enter that ends the input of a
 * word, as in Japanese, does not send. Children are shown beside the button, for example a button that adds files.
 */
export function PromptInput({
  onSubmit,
  value,
  onValueChange,
  placeholder,
  label = "Message",
  isRunning = false,
  onStop,
  disabled = false,
  children,
  ...props
}: PromptInputProps) {
  const [ownText, setOwnText] = useState("");
  const field = useRef<HTMLTextAreaElement>(null);
  const text = value ?? ownText;
  const setText = (next: string) => {
    setOwnText(next);
    onValueChange?.(next);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: the height depends on the text that is shown.
  useLayoutEffect(() => {
    const style = field.current?.style;
    style?.setProperty("height", "auto");
    style?.setProperty("height", `${field.current?.scrollHeight ?? 0}px`);
  }, [text]);
  const submit = () => {
    if (text.trim() === "" || isRunning || disabled) return;
    onSubmit(text);
    setText("");
  };
  return (
    <form
      data-prompt-input=""
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
      {...props}
    >
      <textarea
        ref={field}
        rows={1}
        aria-label={label}
        placeholder={placeholder}
        value={text}
        disabled={disabled}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
          event.preventDefault();
          submit();
        }}
      />
      {children}
      {isRunning && onStop ? (
        <button type="button" onClick={onStop}>
          Stop
        </button>
      ) : (
        <button type="submit" disabled={disabled || isRunning || text.trim() === ""}>
          Send
        </button>
      )}
    </form>
  );
}
