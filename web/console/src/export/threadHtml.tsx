import {
  citationPlace,
  type DisplayCitation,
  displayCitations,
  type EvidenceInfo,
  evidenceId,
  type Message,
  messageCitations,
  messageText,
  STATE_SIGNS,
} from "@pincite/client";
import { Markdown, visibleText } from "@pincite/react";
import { renderToStaticMarkup } from "react-dom/server";
import { client } from "../api/client.js";
import { Difference } from "../evidence/Difference.js";
import css from "./export.css?raw";
import { type ExportedThread, shownMessages } from "./saveThread.js";

/** Citation with the evidence that the file contains. */
interface ExportedCitation {
  citation: DisplayCitation;
  evidence: EvidenceInfo | undefined;
  /** Image of the passage as a `data:` address. */
  image: string | undefined;
}

/** Returns a thread as a web page that needs no server: text, states, quotes, differences and images of passages. */
export async function threadHtml(exported: ExportedThread, origin: string): Promise<string> {
  const messages = shownMessages(exported.conversation);
  const citations = new Map<string, ExportedCitation[]>();
  for (const message of messages) {
    const entry = messageCitations(exported.conversation.state, message.id);
    citations.set(message.id, await Promise.all(displayCitations(entry).map(loadEvidence)));
  }
  const body = renderToStaticMarkup(
    <main>
      <h1>{exported.title}</h1>
      {messages.map((message) => (
        <ExportedMessage
          key={message.id}
          message={message}
          agent={exported.agent}
          citations={citations.get(message.id) ?? []}
          origin={origin}
        />
      ))}
    </main>,
  );
  const head = renderToStaticMarkup(
    <>
      <meta charSet="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <title>{exported.title}</title>
    </>,
  );
  return `<!doctype html><html lang="en"><head>${head}<style>${css}</style></head><body>${body}</body></html>`;
}

async function loadEvidence(citation: DisplayCitation): Promise<ExportedCitation> {
  const id = evidenceId(citation.verification);
  if (id === undefined) return { citation, evidence: undefined, image: undefined };
  const evidence = await client.evidence(id).catch(() => undefined);
  const hasPassage = evidence !== undefined && !evidence.isNearest && evidence.boxes.length > 0;
  const image = hasPassage ? await loadImage(`/p/${id}`).catch(() => undefined) : undefined;
  return { citation, evidence, image };
}

async function loadImage(path: string): Promise<string> {
  const response = await client.send("GET", path, {
    query: { format: "webp", view: "snippet", scale: 2 },
  });
  const blob = await response.blob();
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(blob);
  });
}

function ExportedMessage({
  message,
  agent,
  citations,
  origin,
}: {
  message: Message;
  agent: string;
  citations: readonly ExportedCitation[];
  origin: string;
}) {
  if (message.role === "user") return <h2>{messageText(message)}</h2>;
  const byNumber = new Map(citations.map((entry) => [entry.citation.number, entry.citation]));
  const anchor = (number: number) => `${message.id}-${number}`;
  const verified = citations.filter((entry) => entry.citation.state === "verified").length;
  return (
    <article aria-label={agent}>
      <Markdown
        text={visibleText(messageText(message), false)}
        parts={{
          isMarker: (number) => byNumber.has(number),
          renderMarker: (number) => {
            const state = byNumber.get(number)?.state ?? "checking";
            return (
              <a className="marker" data-state={state} href={`#${anchor(number)}`} title={state}>
                {number} {STATE_SIGNS[state]}
              </a>
            );
          },
        }}
      />
      {citations.length > 0 && (
        <section>
          <p className="summary">
            {verified} of {citations.length} quotes verified
          </p>
          <ol>
            {citations.map(({ citation, evidence, image }) => (
              <li key={citation.key} id={anchor(citation.number)} value={citation.number}>
                <p className="state" data-state={citation.state}>
                  {STATE_SIGNS[citation.state]} {citation.state}
                </p>
                <blockquote>
                  {evidence && evidence.difference.length > 0 ? (
                    <Difference parts={evidence.difference} />
                  ) : (
                    (citation.citation.fullPhrase ?? citation.citation.anchorText)
                  )}
                </blockquote>
                {evidence?.reasons.map((reason) => (
                  <p key={reason}>{reason}</p>
                ))}
                <p className="place">
                  {citationPlace(citation)}
                  {evidenceId(citation.verification) && (
                    <>
                      {" · "}
                      <a href={`${origin}/p/${evidenceId(citation.verification)}`}>evidence page</a>
                    </>
                  )}
                </p>
                {image && <img src={image} alt={`Passage in ${citationPlace(citation)}`} />}
              </li>
            ))}
          </ol>
        </section>
      )}
    </article>
  );
}
