import {
  type Conversation as ConversationState,
  type Message,
  messageCitations,
  type ResumeEntry,
  type RunRequest,
  randomId,
} from "@pincite/client";
import { usePinciteThread } from "@pincite/react";
import { ChevronDown } from "lucide-react";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { Link, useLocation } from "wouter";
import { client } from "../api/client.js";
import { CanvasSessionProvider } from "../canvas/CanvasSession.js";
import { isPosted } from "../canvas/canvasMessage.js";
import { useCanvasChanges } from "../canvas/useCanvasChanges.js";
import { EvidencePanel } from "../evidence/EvidencePanel.js";
import type { ExportFormat } from "../export/saveThread.js";
import { Page } from "../shell/Page.js";
import { PageLoading } from "../shell/PageLoading.js";
import { applyPendingTitle, pendingTitle, setPendingTitle } from "../threads/pendingTitles.js";
import { refreshThreads, useThreads } from "../threads/threadStore.js";
import { threadTitle } from "../threads/threadTitle.js";
import { Button } from "../ui/Button.js";
import { ErrorNotice } from "../ui/ErrorNotice.js";
import type { CitationSelection } from "./Answer.js";
import { attachmentIds, attachmentMetadata, type MessageAttachment } from "./attachments.js";
import { useBranches } from "./branches.js";
import styles from "./ChatPage.module.css";
import { Conversation } from "./Conversation.js";
import { ExportMenu } from "./ExportMenu.js";
import { Prompt, type PromptHandle } from "./Prompt.js";
import { takePendingQuestion } from "./pendingQuestion.js";
import { RunStatus } from "./RunStatus.js";
import { StartPage } from "./StartPage.js";
import { announceRun, onRunInOtherTab } from "./tabs.js";
import { useAgents } from "./useAgents.js";
import { useFollow } from "./useFollow.js";

/** Branch that the next page starts with: its messages are sent as soon as it is shown. */
let pendingBranch: { threadId: string; request: RunRequest } | undefined;

/** Conversation of a thread, or the start of a new one. */
export function ChatPage({ threadId }: { threadId: string | undefined }) {
  const id = useThreadId(threadId);
  return <ThreadPage key={id} threadId={id} isNew={threadId === undefined} />;
}

/** Returns the id of the thread, or a new id for one that its first question will create. */
function useThreadId(threadId: string | undefined): string {
  const draft = useRef("");
  const previous = useRef<string | undefined>("");
  if (threadId === undefined && previous.current !== undefined) draft.current = randomId();
  previous.current = threadId;
  return threadId ?? draft.current;
}

function ThreadPage({ threadId, isNew }: { threadId: string; isNew: boolean }) {
  const [, navigate] = useLocation();
  const [selection, setSelection] = useState<CitationSelection | undefined>();
  const { agents, chosen, choose, error: agentsError, reload } = useAgents();
  const branch = pendingBranch?.threadId === threadId ? pendingBranch : undefined;
  const thread = usePinciteThread(client, threadId, isNew || branch !== undefined, {
    onStarted: () => {
      announceRun(threadId);
      void applyPendingTitle(threadId);
    },
    onEnded: () => void refreshThreads(),
  });
  const { conversation, info, session, connection } = thread;
  const agent = info?.lastRun?.agent ?? info?.agent ?? chosen;
  const title = useTitle(threadId, info?.title, isNew);
  const isRunning = conversation.run.status === "running";
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const prompt = useRef<PromptHandle>(null);
  const { hasMoreBelow, scrollToEnd } = useFollow(scroller, content);
  useCanvasChanges(session, conversation.messages.some(isPosted));
  const branches = useBranches(threadId, conversation.messages);

  useEffect(() => {
    const branchRequest = pendingBranch;
    if (branchRequest?.threadId === threadId) {
      pendingBranch = undefined;
      void session.run(branchRequest.request);
    }
  }, [session, threadId]);
  useEffect(
    () => onRunInOtherTab((id) => id === threadId && void session.followRun()),
    [session, threadId],
  );
  const preparedAttachments = useRef<readonly MessageAttachment[]>([]);
  useEffect(() => {
    if (!isNew) return;
    const question = takePendingQuestion();
    preparedAttachments.current = question?.attachments ?? [];
    if (question) prompt.current?.setText(question.text);
    else prompt.current?.focus();
  }, [isNew]);

  const run = useCallback(
    (messages: readonly Message[], resume?: readonly ResumeEntry[]) => {
      if (agent === undefined) return;
      setSelection(undefined);
      void session.run({
        agent,
        messages,
        attachmentIds: attachmentIds(messages),
        ...(resume ? { resume } : {}),
      });
      scrollToEnd();
    },
    [agent, session, scrollToEnd],
  );
  const ask = (text: string, added: readonly MessageAttachment[] = []) => {
    const attachments = [...preparedAttachments.current, ...added];
    preparedAttachments.current = [];
    const question: Message = {
      id: randomId(),
      role: "user",
      content: text,
      ...(attachments.length > 0 ? { metadata: attachmentMetadata(attachments) } : {}),
    };
    if (conversation.messages.length === 0) setPendingTitle(threadId, text);
    run([...conversation.messages, question]);
    if (isNew) navigate(`/threads/${threadId}`);
  };
  const retry = () => {
    const last = conversation.messages.findLastIndex((message) => message.role === "user");
    run(conversation.messages.slice(0, last + 1));
  };
  const edit = useCallback(
    async (message: Message, text: string) => {
      if (agent === undefined) return;
      const position = conversation.messages.indexOf(message);
      const branchId = randomId();
      const messages = [
        ...conversation.messages.slice(0, position),
        { ...message, id: randomId(), content: text },
      ];
      const request: RunRequest = {
        agent,
        messages,
        attachmentIds: attachmentIds(messages),
        parent: await branchPoint(threadId, conversation, position),
      };
      pendingBranch = { threadId: branchId, request };
      setPendingTitle(branchId, position === 0 ? text : title);
      navigate(`/threads/${branchId}`);
    },
    [agent, conversation, navigate, threadId, title],
  );
  const actions = useMemo(
    () => ({
      onSelect: setSelection,
      onEdit: edit,
      onResume: (entries: ResumeEntry[]) => run(conversation.messages, entries),
      onToolResults: (results: Message[]) => run([...conversation.messages, ...results]),
    }),
    [edit, run, conversation.messages],
  );
  const saveAnswer = useCallback(
    async (format: ExportFormat, messages: readonly Message[]) => {
      const { saveThread } = await import("../export/saveThread.js");
      const { conversation: current, info: thread } = session.getSnapshot();
      const part = { ...current, messages };
      await saveThread(format, { title, agent: agent ?? "", thread, conversation: part });
    },
    [session, title, agent],
  );
  const closeEvidence = useCallback(() => {
    setSelection((before) => (before ? { ...before, key: undefined } : undefined));
  }, []);
  const selectKey = useCallback((key: string) => {
    setSelection((before) => (before ? { ...before, key } : undefined));
  }, []);

  const canvas = { session, agent: agent ?? "The agent", onRetry: retry };
  const isEmpty = conversation.messages.length === 0;
  const isLoading = connection === "loading" && isEmpty;
  return (
    <Page
      title={title}
      subtitle={agent && !isEmpty ? `· ${agent}` : undefined}
      isFilled
      actions={
        !isEmpty && (
          <>
            <ExportMenu
              title={title}
              thread={info}
              conversation={conversation}
              agent={agent ?? ""}
            />
            <Link className={styles.link} href={`/threads/${threadId}/inspect`}>
              Inspect
            </Link>
          </>
        )
      }
    >
      <div ref={scroller} className={styles.scroll}>
        <div ref={content} className={styles.content}>
          {isLoading && <PageLoading />}
          {isNew && isEmpty && <StartPage agent={agent} onAsk={ask} />}
          {!isEmpty && (
            <CanvasSessionProvider value={canvas}>
              <Conversation
                agent={agent ?? "Agent"}
                conversation={conversation}
                selection={selection}
                actions={actions}
                branches={branches}
                scroller={scroller}
                onSaveAnswer={saveAnswer}
                answerActions={
                  !isRunning && (
                    <Button kind="quiet" onClick={retry}>
                      Retry
                    </Button>
                  )
                }
              >
                <RunStatus thread={thread} onRetry={retry} />
              </Conversation>
            </CanvasSessionProvider>
          )}
          {isEmpty && thread.error && (
            <div className={styles.notice}>
              <ErrorNotice error={thread.error} onAction={() => void session.load()} />
            </div>
          )}
          {agentsError && (
            <div className={styles.notice}>
              <ErrorNotice error={agentsError} onAction={reload} />
            </div>
          )}
        </div>
        <div className={styles.foot}>
          {hasMoreBelow && (
            <Button className={styles.more ?? ""} onClick={scrollToEnd}>
              <ChevronDown size={16} aria-hidden="true" />
              More below
            </Button>
          )}
          <Prompt
            handle={prompt}
            agents={isEmpty ? agents : []}
            agent={agent}
            onAgentChange={choose}
            isRunning={isRunning}
            onSend={ask}
            onStop={() => void session.stop()}
          />
        </div>
      </div>
      {selection?.key !== undefined && (
        <EvidencePanel
          message={messageCitations(conversation.state, selection.messageId)}
          selectedKey={selection.key}
          filter={selection.filter}
          onSelect={selectKey}
          onClose={closeEvidence}
        />
      )}
    </Page>
  );
}

/** Returns the run that a branch begins after. A branch at the first question inherits nothing from its parent. */
async function branchPoint(
  threadId: string,
  conversation: ConversationState,
  position: number,
): Promise<NonNullable<RunRequest["parent"]>> {
  const before = conversation.messages.slice(0, position);
  const question = before.findLast((message) => message.role === "user");
  const turns = question ? await client.turns(threadId) : [];
  const turn = turns.find((entry) => entry.userMessageId === question?.id);
  const inherits = turn !== undefined;
  return { threadId, runId: turn?.runId ?? conversation.run.runId ?? "", inherits };
}

/** Returns the title of a thread; the list may know a newer one than the thread. */
function useTitle(threadId: string, title: string | null | undefined, isNew: boolean): string {
  const { threads } = useThreads();
  const listed = threads.find((thread) => thread.id === threadId);
  const pending = pendingTitle(threadId);
  if (pending !== undefined) return pending;
  return isNew ? "Ask your documents" : threadTitle(listed ?? { title: title ?? null });
}
