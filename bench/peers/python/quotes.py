"""Python contestant in the rows about passages: one mode, one file of quotes, one JSON line.

usage: python quotes.py MODE FILE MIN_SECONDS
  edlib      edlib.align in mode HW, the quote's nearest place within 24 edits
  rapidfuzz  fuzz.partial_ratio_alignment with a score of 85 at least
  find       str.find
"""

import json
import os
import sys

from measuring import measure

DISTANCE = 24
SCORE = 85
TOLERANCE = 20


def edlib_mode(text):
    import edlib

    def locate(quote):
        found = edlib.align(quote, text, mode="HW", task="locations", k=DISTANCE)["locations"]
        return (found[0][0], found[0][1] + 1) if found else None

    return locate


def rapidfuzz_mode(text):
    from rapidfuzz import fuzz

    def locate(quote):
        found = fuzz.partial_ratio_alignment(quote, text, score_cutoff=SCORE)
        return (found.dest_start, found.dest_end) if found else None

    return locate


def find_mode(text):
    def locate(quote):
        start = text.find(quote)
        return (start, start + len(quote)) if start >= 0 else None

    return locate


MODES = {"edlib": edlib_mode, "rapidfuzz": rapidfuzz_mode, "find": find_mode}


def locate_all(locate, quotes):
    """Locate every quote; a wrong place ends the run."""
    for quote in quotes:
        found = locate(quote["quote"])
        wrong = found is None or any(
            abs(at - quote[end]) > TOLERANCE for at, end in zip(found, ("start", "end"))
        )
        if wrong:
            raise SystemExit(f"quotes.py: {quote['quote']!r} is found at {found}")


def main(argv):
    try:
        mode, path, seconds = argv
        min_seconds = float(seconds)
        make = MODES[mode]
    except (ValueError, KeyError):
        print(f"usage: python quotes.py {'|'.join(MODES)} FILE MIN_SECONDS", file=sys.stderr)
        return 1

    with open(path, encoding="utf-8") as file:
        content = json.load(file)
    with open(os.path.join(os.path.dirname(path), content["text"]), encoding="utf-8") as file:
        locate = make(file.read())
    quotes = content["quotes"]
    locate_all(locate, quotes[:3])

    measure(mode, path, len(quotes), min_seconds, lambda: locate_all(locate, quotes))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
