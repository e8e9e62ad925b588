/** Part of a text: in both texts, only in the first, or only in the second. */
export interface DiffPart {
  kind: "same" | "removed" | "added";
  text: string;
}

/** Largest product of both numbers of words that is compared; longer texts are shown as replaced. */
const MAX_CELLS = 4_000_000;

/** Returns the difference of two texts by words. */
export function diffWords(before: string, after: string): DiffPart[] {
  const [left, right] = [splitWords(before), splitWords(after)];
  if (left.length * right.length > MAX_CELLS) {
    return [
      { kind: "removed", text: before },
      { kind: "added", text: after },
    ];
  }
  const width = right.length + 1;
  // Length of the longest common sequence of the words from each pair of positions on.
  const lengths = new Uint16Array((left.length + 1) * width);
  const at = (i: number, j: number) => lengths[i * width + j] ?? 0;
  for (let i = left.length - 1; i >= 0; i -= 1) {
    for (let j = right.length - 1; j >= 0; j -= 1) {
      lengths[i * width + j] =
        left[i] === right[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const parts: DiffPart[] = [];
  const push = (kind: DiffPart["kind"], text: string) => {
    const last = parts.at(-1);
    if (last?.kind === kind) last.text += text;
    else parts.push({ kind, text });
  };
  let [i, j] = [0, 0];
  while (i < left.length || j < right.length) {
    const [word, other] = [left[i], right[j]];
    if (word !== undefined && word === other) {
      push("same", word);
      i += 1;
      j += 1;
    } else if (word !== undefined && (other === undefined || at(i + 1, j) >= at(i, j + 1))) {
      push("removed", word);
      i += 1;
    } else {
      push("added", other ?? "");
      j += 1;
    }
  }
  return parts;
}

function splitWords(text: string): string[] {
  return text.match(/\s+|[\p{L}\p{N}\p{M}]+|[^\s\p{L}\p{N}\p{M}]/gu) ?? [];
}
