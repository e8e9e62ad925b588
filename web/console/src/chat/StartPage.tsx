import { client } from "../api/client.js";
import { useRequest } from "../api/useRequest.js";
import styles from "./StartPage.module.css";

/** Questions that an agent can answer at once, by agent. */
const SUGGESTIONS: Readonly<Record<string, readonly string[]>> = {
  demo: [
    "What happened to the harbour of Nordvik?",
    "Which boats use the harbour today?",
    "How high was the highest water ever measured?",
  ],
};

/** Questions that the reader can answer from the sample library. */
const SAMPLE_QUESTIONS: readonly string[] = [
  "Why did storm surges become more frequent?",
  "How much is the rent of the north quay?",
  "Wie hoch ist der Leuchtturm von Lunde?",
];
/** Beginning of the ids of sample documents. */
const SAMPLE_PREFIX = "sample-";

/** Returns questions to try: those of the agent, or of the sample library if it is there. */
function useSuggestions(agent: string | undefined): readonly string[] {
  const { data } = useRequest(() => client.documents({ limit: 100 }), []);
  if (agent !== undefined && Object.hasOwn(SUGGESTIONS, agent)) return SUGGESTIONS[agent] ?? [];
  const hasSamples = data?.items.some((document) => document.id.startsWith(SAMPLE_PREFIX));
  return hasSamples ? SAMPLE_QUESTIONS : [];
}

/** Start of a new thread: the purpose of the page, and questions to try. */
export function StartPage({
  agent,
  onAsk,
}: {
  agent: string | undefined;
  onAsk: (question: string) => void;
}) {
  const suggestions = useSuggestions(agent);
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
