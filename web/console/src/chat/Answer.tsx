import {
  answerMarkdown,
  type Conversation,
  citationsByNumber,
  type DisplayState,
  type Message,
  messageCitations,
} from "@pincite/client";
import { Markdown, type MarkdownParts, useDisplayCitations, visibleText } from "@pincite/react";
import { memo, type ReactNode, useMemo } from "react";
import { textAttributes } from "../canvas/canvasMessage.js";
import { CopyButton } from "../ui/CopyButton.js";
import { Activity } from "./Activity.js";
import styles from "./Answer.module.css";
import { AnswerContext } from "./AnswerContext.js";
import { CodeBlock } from "./CodeBlock.js";
import { Marker } from "./Marker.js";
import { NoCitations } from "./NoCitations.js";
import { Outcome } from "./Outcome.js";
import { Steps } from "./Steps.js";
import { SummaryLine } from "./SummaryLine.js";
import type { TurnItem } from "./turns.js";

/** Selection of a citation, and the filter of its answer. */
export interface CitationSelection {
  messageId: string;
  key: string | undefined;
  filter: DisplayState | undefined;
}

/** Answer of an agent: steps, text with markers, and the summary of its citations. */
export function Answer({
  agent,
  items,
  conversation,
  isRunning,
  selection,
  onSelect,
  actions,
}: {
  agent: string;
  items: readonly TurnItem[];
  conversation: Pick<Conversation, "state" | "timings">;
  /** True while this answer is being written. */
  isRunning: boolean;
  selection: CitationSelection | undefined;
  onSelect: (selection: CitationSelection | undefined) => void;
  actions?: ReactNode;
}) {
  const last = items.at(-1);
  return (
    <article className={styles.answer} aria-label={agent} aria-busy={isRunning}>
      {groupSteps(items).map((group) =>
        Array.isArray(group) ? (
          <Steps
            key={stepKey(group[0])}
            items={group}
            timings={conversation.timings}
            isRunning={isRunning && group.at(-1) === last}
          />
        ) : group.kind === "activity" ? (
          <Activity key={group.message.id} message={group.message} />
        ) : (
          <AnswerText
            key={group.message.id}
            message={group.message}
            state={conversation.state}
            isStreaming={isRunning && group === last}
            selection={selection?.messageId === group.message.id ? selection : undefined}
            onSelect={onSelect}
            actions={group === last ? actions : undefined}
          />
        ),
      )}
      {isRunning && items.length === 0 && <p className={styles.waiting}>Reading your documents…</p>}
    </article>
  );
}

type StepItem = Extract<TurnItem, { kind: "reasoning" | "tool" }>;
type ShownItem = Exclude<TurnItem, StepItem>;

/** Puts successive reasoning and tool calls into one group. */
function groupSteps(items: readonly TurnItem[]): (StepItem[] | ShownItem)[] {
  const groups: (StepItem[] | ShownItem)[] = [];
  for (const item of items) {
    const previous = groups.at(-1);
    if (item.kind === "text" || item.kind === "activity") groups.push(item);
    else if (Array.isArray(previous)) previous.push(item);
    else groups.push([item]);
  }
  return groups;
}

function stepKey(item: StepItem | undefined): string {
  if (item === undefined) return "";
  return item.kind === "tool" ? item.call.id : item.message.id;
}

const renderMarker = (number: number) => <Marker number={number} />;
const renderCode = (code: string, language: string) => (
  <CodeBlock code={code} language={language} />
);

/** While a text is being written, every number in brackets may become a citation. */
const STREAMING_PARTS: MarkdownParts = { isMarker: () => true, renderMarker, renderCode };

const AnswerText = memo(function AnswerText({
  message,
  state,
  isStreaming,
  selection,
  onSelect,
  actions,
}: {
  message: Message;
  state: unknown;
  isStreaming: boolean;
  selection: CitationSelection | undefined;
  onSelect: (selection: CitationSelection | undefined) => void;
  actions: ReactNode;
}) {
  const entry = messageCitations(state, message.id);
  const { citations, summary } = useDisplayCitations({ state, messageId: message.id });
  const text = typeof message.content === "string" ? message.content : "";
  const selectedKey = selection?.key;
  const filter = selection?.filter;
  const context = useMemo(
    () => ({
      byNumber: citationsByNumber(entry),
      selectedKey,
      filter,
      select: (key: string) => onSelect({ messageId: message.id, key, filter }),
    }),
    [entry, selectedKey, filter, message.id, onSelect],
  );
  const numbers = [...context.byNumber.keys()].join();
  const settledParts = useMemo<MarkdownParts>(() => {
    const known = new Set(numbers === "" ? [] : numbers.split(",").map(Number));
    return { isMarker: (number) => known.has(number), renderMarker, renderCode };
  }, [numbers]);
  const copied = () =>
    answerMarkdown({ text: visibleText(text, false), citations }, window.location.origin);

  return (
    <AnswerContext value={context}>
      <div className={styles.text} {...textAttributes(message)}>
        <Markdown
          text={text}
          isStreaming={isStreaming}
          parts={isStreaming ? STREAMING_PARTS : settledParts}
        />
      </div>
      {!isStreaming && entry?.outcome && <Outcome outcome={entry.outcome} />}
      {(citations.length > 0 || !isStreaming) && (
        <div className={styles.foot}>
          {citations.length > 0 ? (
            <SummaryLine
              summary={summary}
              filter={filter}
              onFilter={(next) =>
                onSelect({ messageId: message.id, key: selectedKey, filter: next })
              }
            />
          ) : (
            <NoCitations text={text} />
          )}
          {!isStreaming && (
            <div className={styles.actions}>
              <CopyButton label="Copy" text={copied} />
              {actions}
            </div>
          )}
        </div>
      )}
    </AnswerContext>
  );
});
