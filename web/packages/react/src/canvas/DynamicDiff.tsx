import { useMemo } from "react";
import { ComponentFrame } from "./ComponentFrame.js";
import { diffWords } from "./diffWords.js";
import type { DiffData } from "./types.js";

/** Current value beside a suggested one, with the difference marked. */
export function DynamicDiff({ data }: { data: DiffData }) {
  const parts = useMemo(
    () => diffWords(valueText(data.current), valueText(data.suggested)),
    [data.current, data.suggested],
  );
  return (
    <ComponentFrame
      component="diff"
      title={data.title}
      description={data.field}
      getRows={() => [
        ["Field", "Current", "Suggested"],
        [data.field ?? "", data.current, data.suggested],
      ]}
    >
      <div className="pincite-diff">
        <figure>
          <figcaption>Current</figcaption>
          <p dir="auto">
            {parts.map((part, position) =>
              part.kind === "added" ? null : part.kind === "removed" ? (
                <del key={position}>{part.text}</del>
              ) : (
                part.text
              ),
            )}
          </p>
        </figure>
        <figure>
          <figcaption>Suggested</figcaption>
          <p dir="auto">
            {parts.map((part, position) =>
              part.kind === "removed" ? null : part.kind === "added" ? (
                <ins key={position}>{part.text}</ins>
              ) : (
                part.text
              ),
            )}
          </p>
        </figure>
      </div>
    </ComponentFrame>
  );
}

function valueText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}
