import {
  ChatContainer,
  CITATION_VARIANTS,
  CitationMarker,
  CitationsSection,
  CitedMarkdown,
  ErrorMessage,
  Evidence,
  EvidencePopover,
  Message,
  PageViewer,
  Reasoning,
  ResponseStream,
  SourcesList,
  Tool,
} from "@pincite/react";
import type { ReactNode } from "react";
import {
  ApprovalExample,
  EvidencePanelExample,
  PromptExample,
  StreamExample,
  SummaryExample,
} from "./liveExamples.js";
import {
  SAMPLE_CALL,
  SAMPLE_CITATIONS,
  SAMPLE_SOURCES,
  SAMPLE_STATE,
  SAMPLE_TEXT,
  samplePage,
} from "./sampleData.js";

/** Part of `@pincite/react` with a live example. */
export interface GalleryExample {
  /** Name of the component. */
  name: string;
  description: string;
  /** Code that renders the part. */
  usage: string;
  render: () => ReactNode;
}

const FIRST = SAMPLE_CITATIONS[0];
const MESSAGE = { id: "sample", role: "assistant", content: SAMPLE_TEXT } as const;

/** All parts, in the order in which they are shown. */
export const GALLERY_EXAMPLES: readonly GalleryExample[] = [
  {
    name: "CitationMarker",
    description: "Marker of a citation in eight variants and six states.",
    usage: '<CitationMarker citation={citation} verification={verification} variant="chip" />',
    render: () => (
      <ul>
        {CITATION_VARIANTS.map((variant) => (
          <li key={variant}>
            {variant}:{" "}
            {SAMPLE_CITATIONS.map(({ key, number, citation, verification }) => (
              <span key={key}>
                <CitationMarker {...{ number, citation, verification, variant }} />{" "}
              </span>
            ))}
          </li>
        ))}
      </ul>
    ),
  },
  {
    name: "EvidencePopover",
    description: "Marker that shows its evidence beside it. Escape closes it.",
    usage: "<EvidencePopover citation={citation} verification={verification} />",
    render: () =>
      FIRST && (
        <p>
          The rent is 48,500 crowns{" "}
          <EvidencePopover citation={FIRST.citation} verification={FIRST.verification} />
        </p>
      ),
  },
  {
    name: "Evidence",
    description: "State, quote, source and image of a citation.",
    usage: "<Evidence citation={citation} verification={verification} />",
    render: () => FIRST && <Evidence citation={FIRST.citation} verification={FIRST.verification} />,
  },
  {
    name: "EvidencePanel",
    description: "Evidence of the selected citation, with the previous and the next one.",
    usage:
      "<EvidencePanel citations={citations} selectedKey={key} onSelect={select} onClose={close} />",
    render: () => <EvidencePanelExample />,
  },
  {
    name: "PageViewer",
    description: "Page of a document with a marked passage.",
    usage:
      '<PageViewer title="Lease" pageCount={3} firstPage={2} pageUrl={pageUrl} areas={areas} />',
    render: () => (
      <PageViewer
        title="the lease"
        pageCount={3}
        firstPage={2}
        pageUrl={samplePage}
        areas={[{ page: 2, x: 0.08, y: 0.42, width: 0.6, height: 0.05 }]}
      />
    ),
  },
  {
    name: "SourcesList",
    description: "Sources of an answer, each once.",
    usage: "<SourcesList citations={citations} onSelect={select} />",
    render: () => <SourcesList citations={SAMPLE_CITATIONS} />,
  },
  {
    name: "SummaryLine",
    description: "Citations of an answer by state. Each part filters.",
    usage: "<SummaryLine summary={summary} filter={filter} onFilter={setFilter} />",
    render: () => <SummaryExample />,
  },
  {
    name: "CitedMarkdown",
    description: "Markdown with markers that show their evidence.",
    usage: "<CitedMarkdown text={text} state={state} messageId={id} isStreaming={isStreaming} />",
    render: () => <CitedMarkdown text={SAMPLE_TEXT} state={SAMPLE_STATE} messageId="sample" />,
  },
  {
    name: "ResponseStream",
    description: "Answer while it streams, with its summary.",
    usage: "<ResponseStream message={message} state={state} isStreaming={isStreaming} />",
    render: () => <StreamExample />,
  },
  {
    name: "CitationsSection",
    description: "Sources of a turn with their passages.",
    usage: "<CitationsSection sourceReferences={sources} onView={view} />",
    render: () => <CitationsSection sourceReferences={SAMPLE_SOURCES} />,
  },
  {
    name: "Message",
    description: "Message of a person or an agent.",
    usage: '<Message from="assistant" author="Reader">…</Message>',
    render: () => <Message from="user">How much is the rent?</Message>,
  },
  {
    name: "ChatContainer",
    description: "Conversation that stays scrolled to its end.",
    usage: "<ChatContainer>…</ChatContainer>",
    render: () => (
      <ChatContainer label="Sample conversation">
        <Message from="user" author="Question">
          How much is the rent?
        </Message>
        <Message from="assistant" author="Answer">
          <ResponseStream message={MESSAGE} state={SAMPLE_STATE} />
        </Message>
      </ChatContainer>
    ),
  },
  {
    name: "PromptInput",
    description: "Text field that grows. Enter sends, Shift and Enter begin a line.",
    usage: "<PromptInput onSubmit={ask} isRunning={isRunning} onStop={stop} />",
    render: () => <PromptExample />,
  },
  {
    name: "Reasoning",
    description: "Reasoning of an agent, collapsed.",
    usage: "<Reasoning text={text} duration={milliseconds} />",
    render: () => <Reasoning text="The lease names the rent in section 3." duration={2300} />,
  },
  {
    name: "Tool",
    description: "Tool call with arguments and result.",
    usage: "<Tool call={call} result={result} />",
    render: () => <Tool call={SAMPLE_CALL} result='{"hits":3}' />,
  },
  {
    name: "Approval",
    description: "Request of an agent that waits for a decision.",
    usage: "<Approval interrupt={interrupt} call={call} onDecide={resume} />",
    render: () => <ApprovalExample />,
  },
  {
    name: "ErrorMessage",
    description: "Error with its hint.",
    usage: "<ErrorMessage error={error} onRetry={retry} />",
    render: () => (
      <ErrorMessage
        error={{ message: "The agent cannot be reached.", hint: "Check that it runs." }}
      />
    ),
  },
];
