import type { Conversation as ConversationState, Message, ResumeEntry } from "@pincite/client";
import { memo, type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import { Answer, type CitationSelection } from "./Answer.js";
import { Approvals } from "./Approvals.js";
import styles from "./Conversation.module.css";
import { Question } from "./Question.js";
import { ToolRequests } from "./ToolRequests.js";
import { groupTurns, isSameTurn, type Turn } from "./turns.js";

/** Number of turns that are shown at first, and that are added when the person scrolls up. */
const WINDOW_SIZE = 20;

/** Actions on a conversation. */
export interface ConversationActions {
  onSelect: (selection: CitationSelection | undefined) => void;
  onEdit: (message: Message, text: string) => Promise<void>;
  onResume: (entries: ResumeEntry[]) => void;
  onToolResults: (results: Message[]) => void;
}

/** Questions and answers of a thread. Of a long thread only the last turns are in the page until one scrolls up. */
export function Conversation({
  agent,
  conversation,
  selection,
  actions,
  answerActions,
  children,
}: {
  agent: string;
  conversation: ConversationState;
  selection: CitationSelection | undefined;
  actions: ConversationActions;
  /** Buttons under the last answer. */
  answerActions: ReactNode;
  children?: ReactNode;
}) {
  const turns = useStableTurns(conversation.messages);
  const [shownCount, setShownCount] = useState(WINDOW_SIZE);
  const first = Math.max(0, turns.length - shownCount);
  const isRunning = conversation.run.status === "running";
  const last = turns.length - 1;
  // A request for context is answered in the message itself.
  const interrupts = conversation.interrupts.filter(
    ({ reason }) => reason !== "pincite.context_request",
  );
  return (
    <div className={styles.conversation} role="log" aria-label="Conversation">
      {first > 0 && (
        <EarlierTurns count={first} onShow={() => setShownCount((count) => count + WINDOW_SIZE)} />
      )}
      {turns.slice(first).map((turn, offset) => {
        const position = first + offset;
        const isLast = position === last;
        return (
          <TurnView
            key={turn.id}
            turn={turn}
            agent={agent}
            state={conversation.state}
            timings={conversation.timings}
            isRunning={isRunning && isLast}
            canEdit={!isRunning}
            selection={selection}
            onSelect={actions.onSelect}
            onEdit={actions.onEdit}
            answerActions={isLast ? answerActions : undefined}
          />
        );
      })}
      {interrupts.length > 0 && (
        <Approvals
          key={conversation.run.runId}
          conversation={{ interrupts, messages: conversation.messages }}
          onResume={actions.onResume}
        />
      )}
      {conversation.pendingToolCallIds.length > 0 && (
        <ToolRequests
          key={`${conversation.run.runId}-tools`}
          conversation={conversation}
          onAnswer={actions.onToolResults}
        />
      )}
      {children}
    </div>
  );
}

/** Groups messages into turns; a turn whose messages did not change stays the same object. */
function useStableTurns(messages: readonly Message[]): readonly Turn[] {
  const previous = useRef<ReadonlyMap<string, Turn>>(new Map());
  return useMemo(() => {
    const turns = groupTurns(messages).map((turn) => {
      const before = previous.current.get(turn.id);
      return before && isSameTurn(before, turn) ? before : turn;
    });
    previous.current = new Map(turns.map((turn) => [turn.id, turn]));
    return turns;
  }, [messages]);
}

/** Button that shows earlier turns, which happens by itself when it is scrolled into view. */
function EarlierTurns({ count, onShow }: { count: number; onShow: () => void }) {
  const button = useRef<HTMLButtonElement>(null);
  const show = useRef(onShow);
  show.current = onShow;
  useEffect(() => {
    if (!button.current) return;
    const observer = new IntersectionObserver((entries) => {
      if (entries.some((entry) => entry.isIntersecting)) show.current();
    });
    observer.observe(button.current);
    return () => observer.disconnect();
  }, []);
  return (
    <button ref={button} type="button" className={styles.earlier} onClick={onShow}>
      Show {count.toLocaleString()} earlier {count === 1 ? "question" : "questions"}
    </button>
  );
}

interface TurnViewProps {
  turn: Turn;
  agent: string;
  state: unknown;
  timings: ConversationState["timings"];
  isRunning: boolean;
  canEdit: boolean;
  selection: CitationSelection | undefined;
  onSelect: ConversationActions["onSelect"];
  onEdit: ConversationActions["onEdit"];
  answerActions: ReactNode;
}

function TurnView({ turn, agent, state, timings, isRunning, canEdit, ...props }: TurnViewProps) {
  return (
    <div className={styles.turn}>
      {turn.question && (
        <QuestionView message={turn.question} canEdit={canEdit} onEdit={props.onEdit} />
      )}
      {(turn.items.length > 0 || isRunning) && (
        <Answer
          agent={agent}
          items={turn.items}
          conversation={{ state, timings }}
          isRunning={isRunning}
          selection={props.selection}
          onSelect={props.onSelect}
          actions={props.answerActions}
        />
      )}
    </div>
  );
}

const QuestionView = memo(Question);
