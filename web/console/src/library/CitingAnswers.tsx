import { type CitingAnswer, type DisplayState, STATE_SIGNS } from "@pincite/client";
import { Link } from "wouter";
import { client } from "../api/client.js";
import { useRequest } from "../api/useRequest.js";
import { formatTime } from "../ui/format.js";
import styles from "./CitingAnswers.module.css";

const STATES: Readonly<Record<CitingAnswer["state"], DisplayState>> = {
  verified: "verified",
  partly: "partly found",
  elsewhere: "found elsewhere",
  missing: "not found",
  pending: "checking",
};

/** Returns the state in the words that are used everywhere. */
function stateOf({ state, words }: CitingAnswer): DisplayState {
  return words === "source missing" ? "source missing" : STATES[state];
}

/** Answers that cite the open page. Each leads to its thread and to its evidence. */
export function CitingAnswers({ documentId, page }: { documentId: string; page: number }) {
  const { data } = useRequest(() => client.citingAnswers(documentId, page), [documentId, page]);
  if (data === undefined) return null;
  return (
    <section className={styles.answers} aria-label="Answers that cite this page">
      <h2 className={styles.heading}>Answers that cite this page</h2>
      {data.items.length === 0 ? (
        <p className={styles.note}>No answer cites page {page}.</p>
      ) : (
        <ul className={styles.list}>
          {data.items.map((answer) => (
            <li key={answer.evidenceId}>
              <Link
                className={styles.thread}
                href={`/threads/${encodeURIComponent(answer.threadId)}`}
              >
                {answer.threadTitle ?? "Untitled thread"}
              </Link>
              <blockquote>{answer.quote}</blockquote>
              <p className={styles.note}>
                <span className={styles.state} data-state={answer.state}>
                  {STATE_SIGNS[stateOf(answer)]} {stateOf(answer)}
                </span>
                {" · "}
                <time dateTime={answer.checkedAt}>{formatTime(answer.checkedAt)}</time>
                {" · "}
                <a href={client.url(`/p/${encodeURIComponent(answer.evidenceId)}`)}>Evidence</a>
              </p>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
