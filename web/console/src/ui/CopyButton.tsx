import { useEffect, useState } from "react";
import { Button } from "./Button.js";

/** Time for which a copy is confirmed, in milliseconds. */
const CONFIRMATION_MS = 2000;

/** Button that copies a text and confirms it. */
export function CopyButton({ label, text }: { label: string; text: () => string }) {
  const [result, setResult] = useState<"copied" | "failed" | undefined>();
  useEffect(() => {
    if (result === undefined) return;
    const timer = setTimeout(() => setResult(undefined), CONFIRMATION_MS);
    return () => clearTimeout(timer);
  }, [result]);
  const copy = () => {
    copyText(text()).then(
      () => setResult("copied"),
      () => setResult("failed"),
    );
  };
  const words = result === undefined ? label : result === "copied" ? "Copied" : "Copying failed";
  return (
    <Button kind="quiet" onClick={copy}>
      <span role={result ? "status" : undefined}>{words}</span>
    </Button>
  );
}

/** Copies a text. The clipboard interface exists on secure origins only. */
async function copyText(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const field = document.createElement("textarea");
  field.value = text;
  document.body.append(field);
  field.select();
  const isCopied = document.execCommand("copy");
  field.remove();
  if (!isCopied) throw new Error("The browser refused to copy.");
}
