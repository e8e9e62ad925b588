"""Python peers of the verdicts on PDFs: a file of cases, and for each peer where it finds each quote.

usage: python verdicts.py FILE
FILE: {"texts": [path, …], "cases": [{"text": number, "quote": …}, …]}
A text is what pdftotext prints, a form feed after each page. Prints one JSON object: for each peer
a list with the page, from 1, where a quote is found, or null.
  exact      the folded quote in the folded text
  edlib      edlib.align in mode HW, within 10 % of the quote's length
  rapidfuzz  fuzz.partial_ratio_alignment with a score of 90 at least
"""

import bisect
import json
import sys
import unicodedata

import edlib
from rapidfuzz import fuzz

SHARE = 0.10
SCORE = 90
SAME = {ord(c): to for chars, to in (("“”„«»", '"'), ("‘’‚", "'"), ("‐‑‒–—−", "-")) for c in chars}
SAME.update({ord(c): None for c in "\u00ad\u200b\u200c\u200d\u2060\ufeff\u202a\u202b\u202c"})


def fold(text):
    """The text without what a fair comparison lets pass: case, forms, quotation marks, spaces."""
    text = unicodedata.normalize("NFKC", text).translate(SAME).casefold()
    return " ".join(text.split())


class Text:
    """A folded text that knows where its pages begin."""

    def __init__(self, printed):
        self.starts, parts, length = [], [], 0
        for page in printed.split("\f"):
            folded = fold(page)
            self.starts.append(length)
            parts.append(folded)
            length += len(folded) + 1
        self.text = " ".join(parts)

    def page(self, at):
        return bisect.bisect_right(self.starts, at)


def exact(text, quote):
    at = text.text.find(quote)
    return text.page(at) if at >= 0 else None


def edits(text, quote):
    limit = int(len(quote) * SHARE)
    try:
        found = edlib.align(quote, text.text, mode="HW", task="locations", k=limit)["locations"]
    except ValueError:
        # More than 256 different characters: those that the quote does not have are all the same.
        own = set(quote)
        other = "".join(c if c in own else "\0" for c in text.text)
        found = edlib.align(quote, other, mode="HW", task="locations", k=limit)["locations"]
    return text.page(found[0][0] or 0) if found else None


def ratio(text, quote):
    if len(quote) > len(text.text):
        return None
    found = fuzz.partial_ratio_alignment(quote, text.text, score_cutoff=SCORE)
    return text.page(found.dest_start) if found else None


PEERS = {"exact": exact, "edlib": edits, "rapidfuzz": ratio}


def main(argv):
    if len(argv) != 1:
        print("usage: python verdicts.py FILE", file=sys.stderr)
        return 2
    with open(argv[0], encoding="utf-8") as file:
        content = json.load(file)
    texts = []
    for path in content["texts"]:
        with open(path, encoding="utf-8") as file:
            texts.append(Text(file.read()))
    cases = [(texts[case["text"]], fold(case["quote"])) for case in content["cases"]]
    answer = {
        name: [find(text, quote) if quote else None for text, quote in cases]
        for name, find in PEERS.items()
    }
    print(json.dumps(answer))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
