import type { DisplayCitation, DisplayState } from "@pincite/client";
import { createContext } from "react";

/** Citations of an answer, for the markers in its text. */
export interface AnswerCitations {
  byNumber: ReadonlyMap<number, DisplayCitation>;
  /** Citation whose evidence is open. */
  selectedKey: string | undefined;
  /** State that the summary line filters by. */
  filter: DisplayState | undefined;
  select: (key: string) => void;
}

/** Context of the markers. They read it themselves, so a new result renders markers only, not the text. */
export const AnswerContext = createContext<AnswerCitations>({
  byNumber: new Map(),
  selectedKey: undefined,
  filter: undefined,
  select: () => undefined,
});
