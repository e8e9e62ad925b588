import styles from "./StartPage.module.css";

/** Questions that an agent can answer at once, by agent. */
const SUGGESTIONS: Readonly<Record<string, readonly string[]>> = {
  demo: [
    "What happened to the harbour of Nordvik?",
    "Which boats use the harbour today?",
    "How high was the highest water ever measured?",
  ],
};

/** Start of a new thread: the purpose of the page, and questions to try. */
export function StartPage({
  agent,
  suggestions = agent === undefined ? [] : (SUGGESTIONS[agent] ?? []),
  onAsk,
}: {
  agent: string | undefined;
  suggestions?: readonly string[];
  onAsk: (question: string) => void;
}) {
  return (
    <div className={styles.start}>
      <p className={styles.claim}>Every quote is checked against its source while you read.</p>
      <p className={styles.purpose}>
        Ask a question, or attach a document first. Each number in an answer opens the page it came
        from.
      </p>
      {suggestions.length > 0 && (
        <>
          <h2 className={styles.heading}>Questions to try</h2>
          <ul className={styles.list}>
            {suggestions.map((question) => (
              <li key={question}>
                <button type="button" onClick={() => onAsk(question)}>
                  {question}
                </button>
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}
