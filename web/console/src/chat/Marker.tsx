import { CitationMarker } from "@pincite/react";
import { useContext } from "react";
import { AnswerContext } from "./AnswerContext.js";
import styles from "./Marker.module.css";

/** Marker in the text of an answer; opens the evidence. */
export function Marker({ number }: { number: number }) {
  const { byNumber, selectedKey, filter, select } = useContext(AnswerContext);
  const found = byNumber.get(number);
  const isSelected = found !== undefined && found.key === selectedKey;
  return (
    <CitationMarker
      className={styles.marker}
      number={number}
      citation={found?.citation}
      verification={found?.verification}
      isLoading={found === undefined}
      aria-expanded={isSelected}
      data-key={found?.key}
      data-dimmed={filter !== undefined && found?.state !== filter}
      onClick={() => found && select(found.key)}
    />
  );
}
