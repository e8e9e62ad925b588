import type { Conversation as ConversationState, Message, ResumeEntry } from "@pincite/client";
import { memo, type ReactNode, type RefObject, useMemo, useRef } from "react";
import type { ExportFormat } from "../export/saveThread.js";
import { Answer, type CitationSelection } from "./Answer.js";
import { AnswerMenu } from "./AnswerMenu.js";
import { Approvals } from "./Approvals.js";
import { BranchSwitch } from "./BranchSwitch.js";
import type { QuestionBranches } from "./branches.js";
import styles from "./Conversation.module.css";
import { Question } from "./Question.js";
import { ToolRequests } from "./ToolRequests.js";
import { TurnList } from "./TurnList.js";
import { groupTurns, isSameTurn, type Turn } from "./turns.js";

/** Actions on a conversation. */
export interface ConversationActions {
  onSelect: (selection: CitationSelection | undefined) => void;
  onEdit: (message: Message, text: string) => Promise<void>;
  onResume: (entries: ResumeEntry[]) => void;
  onToolResults: (results: Message[]) => void;
}

/** Questions and answers of a thread. */
export function Conversation({
  agent,
  conversation,
  selection,
  actions,
  answerActions,
  branches,
  scroller,
  onSaveAnswer,
  children,
}: {
  agent: string;
  conversation: ConversationState;
  selection: CitationSelection | undefined;
  actions: ConversationActions;
  /** Buttons under the last answer. */
  answerActions: ReactNode;
  /** Branches by the id of the question at which they part. */
  branches: ReadonlyMap<string, QuestionBranches>;
  /** Element that scrolls. */
  scroller: RefObject<HTMLElement | null>;
  /** Saves the messages of one turn as a file. */
  onSaveAnswer: (format: ExportFormat, messages: readonly Message[]) => Promise<void>;
  children?: ReactNode;
}) {
  const turns = useStableTurns(conversation.messages);
  const isRunning = conversation.run.status === "running";
  const last = turns.length - 1;
  // A request for context is answered in the message itself.
  const interrupts = conversation.interrupts.filter(
    ({ reason }) => reason !== "pincite.context_request",
  );
  return (
    <div className={styles.conversation} role="log" aria-label="Conversation">
      <TurnList
        turns={turns}
        scroller={scroller}
        renderTurn={(turn, position) => (
          <TurnView
            turn={turn}
            agent={agent}
            state={conversation.state}
            timings={conversation.timings}
            isRunning={isRunning && position === last}
            canEdit={!isRunning}
            selection={selection}
            onSelect={actions.onSelect}
            onEdit={actions.onEdit}
            branches={turn.question && branches.get(turn.question.id)}
            onSaveAnswer={onSaveAnswer}
            answerActions={position === last ? answerActions : undefined}
          />
        )}
      />
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
  branches: QuestionBranches | undefined;
  onSaveAnswer: (format: ExportFormat, messages: readonly Message[]) => Promise<void>;
  answerActions: ReactNode;
}

function TurnView({ turn, agent, state, timings, isRunning, canEdit, ...props }: TurnViewProps) {
  const { onSaveAnswer, answerActions } = props;
  // The buttons stay the same while another turn changes, so that this one is not rendered again.
  const buttons = useMemo(() => {
    const save = (format: ExportFormat) => onSaveAnswer(format, messagesOf(turn));
    return (
      <>
        <AnswerMenu onSave={save} />
        {answerActions}
      </>
    );
  }, [turn, onSaveAnswer, answerActions]);
  return (
    <>
      {turn.question && (
        <QuestionView message={turn.question} canEdit={canEdit} onEdit={props.onEdit} />
      )}
      {props.branches && <BranchSwitch branches={props.branches} />}
      {(turn.items.length > 0 || isRunning) && (
        <Answer
          agent={agent}
          items={turn.items}
          conversation={{ state, timings }}
          isRunning={isRunning}
          selection={props.selection}
          onSelect={props.onSelect}
          actions={buttons}
        />
      )}
    </>
  );
}

/** Returns the question and the texts of a turn. */
function messagesOf(turn: Turn): Message[] {
  const texts = turn.items.flatMap((item) => (item.kind === "text" ? [item.message] : []));
  return turn.question ? [turn.question, ...texts] : texts;
}

const QuestionView = memo(Question);
