import { RequestError, type VerifyResponse } from "@pincite/client";
import { useState } from "react";
import { client } from "../api/client.js";
import { formatNumber } from "../ui/format.js";
import styles from "./NoCitations.module.css";

/** Line under an answer without citations. On request the server reads the answer again and says what it saw. */
export function NoCitations({ text }: { text: string }) {
  const [explanation, setExplanation] = useState<readonly string[] | undefined>();
  const explain = async () => {
    try {
      setExplanation(explainReading(await client.verify({ text })));
    } catch (error) {
      setExplanation([error instanceof RequestError ? error.message : String(error)]);
    }
  };
  return (
    <div className={styles.line}>
      <p>
        No quotes to check.{" "}
        {explanation === undefined && (
          <button type="button" onClick={explain}>
            Why no citations?
          </button>
        )}
      </p>
      {explanation !== undefined && (
        <div role="status">
          {explanation.map((sentence) => (
            <p key={sentence}>{sentence}</p>
          ))}
        </div>
      )}
    </div>
  );
}

function explainReading({ citations, problems }: VerifyResponse): string[] {
  const count = Object.keys(citations).length;
  const seen = [
    count === 0
      ? "The answer contains no citation in a form that the program knows: no marker with citation data, no tag and no footnote."
      : `The answer contains ${count === 1 ? "a citation" : `${count} citations`}, but the run did not keep ${count === 1 ? "it" : "them"}.`,
  ];
  const found = problems.map(({ offset, message }) =>
    offset === undefined ? message : `At byte ${formatNumber(offset)}: ${message}`,
  );
  const advice =
    "Agents need instructions to cite: `pincite prompt` prints them, and the setting `citations.instruct` adds them to every run.";
  return [...seen, ...found, ...(count === 0 ? [advice] : [])];
}
