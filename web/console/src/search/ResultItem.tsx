import type { SearchExplanation, SearchResult } from "@pincite/client";
import { Link } from "wouter";
import { formatNumber } from "../ui/format.js";
import { highlightParts } from "./highlightParts.js";
import styles from "./ResultItem.module.css";

/** Passage that was found: document, place, and the words around the match. */
export function ResultItem({ result }: { result: SearchResult }) {
  const { filename, documentTitle, headings, pages, snippet, explain } = result;
  return (
    <li className={styles.result}>
      <h2 className={styles.title}>
        <Link href={passageAddress(result)}>
          <bdi>{documentTitle ?? filename}</bdi>
        </Link>
      </h2>
      <p className={styles.place}>
        {documentTitle !== null && <bdi>{filename}</bdi>}
        {pages.length > 0 && <span>{pageText(pages)}</span>}
        {headings.map((heading) => (
          <span key={heading} className={styles.heading}>
            {heading}
          </span>
        ))}
      </p>
      <p className={styles.snippet} dir="auto">
        {highlightParts(snippet.text, snippet.highlights).map(({ start, text, isHighlighted }) =>
          isHighlighted ? <mark key={start}>{text}</mark> : <span key={start}>{text}</span>,
        )}
      </p>
      {explain && <Explanation explanation={explain} />}
    </li>
  );
}

/** Returns the address of the document, opened at the passage. */
function passageAddress(result: SearchResult): string {
  const page = result.pages[0] ?? 1;
  const query = new URLSearchParams({ page: String(page), chunk: result.chunkId });
  return `/library/${encodeURIComponent(result.attachmentId)}?${query}`;
}

function pageText(pages: readonly number[]): string {
  const first = pages[0] ?? 1;
  const last = pages.at(-1) ?? first;
  return first === last ? `Page ${first}` : `Pages ${first}–${last}`;
}

/** Names of the ranked lists. */
const LIST_NAMES: Readonly<Record<string, string>> = {
  text: "Words",
  vector: "Meaning",
  graph: "Connections",
};

function Explanation({ explanation }: { explanation: SearchExplanation }) {
  return (
    <table className={styles.explanation} aria-label="Reasons for the rank">
      <thead>
        <tr>
          <th scope="col">Found by</th>
          <th scope="col">Rank</th>
          <th scope="col">Score</th>
          <th scope="col">Contribution</th>
        </tr>
      </thead>
      <tbody>
        {explanation.lists.map((list) => (
          <tr key={list.list}>
            <th scope="row">{LIST_NAMES[list.list] ?? list.list}</th>
            <td>{formatNumber(list.rank)}</td>
            <td>{formatScore(list.score)}</td>
            <td>{formatScore(list.contribution)}</td>
          </tr>
        ))}
        {explanation.terms.map((term) => (
          <tr key={`${term.word} ${term.kind}`}>
            <th scope="row">
              “{term.word}” ({term.kind}
              {term.kind === "spelling" && `: ${term.searched.join(", ")}`})
            </th>
            <td />
            <td>{formatScore(term.score)}</td>
            <td />
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function formatScore(score: number): string {
  return formatNumber(score, { maximumFractionDigits: 3 });
}
