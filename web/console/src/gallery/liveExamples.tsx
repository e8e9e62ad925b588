import { type DisplayState, summarise } from "@pincite/client";
import { Approval, EvidencePanel, PromptInput, ResponseStream, SummaryLine } from "@pincite/react";
import { useEffect, useState } from "react";
import {
  SAMPLE_CALL,
  SAMPLE_CITATIONS,
  SAMPLE_INTERRUPT,
  SAMPLE_STATE,
  SAMPLE_TEXT,
} from "./sampleData.js";

/** Time between two parts of the streamed text, in milliseconds. */
const STREAM_INTERVAL = 60;
const STREAM_STEP = 8;

export function EvidencePanelExample() {
  const [selectedKey, setSelectedKey] = useState<string | undefined>(SAMPLE_CITATIONS[1]?.key);
  return (
    <>
      {selectedKey === undefined && (
        <button type="button" onClick={() => setSelectedKey(SAMPLE_CITATIONS[0]?.key)}>
          Open evidence
        </button>
      )}
      <EvidencePanel
        aria-label="Sample evidence"
        citations={SAMPLE_CITATIONS}
        selectedKey={selectedKey}
        onSelect={setSelectedKey}
        onClose={() => setSelectedKey(undefined)}
      />
    </>
  );
}

export function SummaryExample() {
  const [filter, setFilter] = useState<DisplayState>();
  return <SummaryLine summary={summarise(SAMPLE_CITATIONS)} filter={filter} onFilter={setFilter} />;
}

export function StreamExample() {
  const [length, setLength] = useState(SAMPLE_TEXT.length);
  const isStreaming = length < SAMPLE_TEXT.length;
  useEffect(() => {
    if (!isStreaming) return;
    const timer = setTimeout(() => setLength(length + STREAM_STEP), STREAM_INTERVAL);
    return () => clearTimeout(timer);
  }, [length, isStreaming]);
  const message = {
    id: "sample",
    role: "assistant",
    content: SAMPLE_TEXT.slice(0, length),
  } as const;
  return (
    <>
      <ResponseStream message={message} state={SAMPLE_STATE} isStreaming={isStreaming} />
      <button type="button" onClick={() => setLength(0)}>
        Stream again
      </button>
    </>
  );
}

export function PromptExample() {
  const [sent, setSent] = useState("");
  return (
    <>
      <PromptInput
        label="Sample message"
        placeholder="Ask about your documents"
        onSubmit={setSent}
      />
      {sent !== "" && <p role="status">Sent: {sent}</p>}
    </>
  );
}

export function ApprovalExample() {
  const [decision, setDecision] = useState("");
  return (
    <>
      <Approval
        interrupt={SAMPLE_INTERRUPT}
        call={SAMPLE_CALL}
        onDecide={(entry) => setDecision(JSON.stringify(entry.payload))}
      />
      {decision !== "" && <p role="status">Decision: {decision}</p>}
    </>
  );
}
