"""Python contestant of the benchmark: one mode, one file, one JSON line.

usage: python peer.py MODE FILE MIN_SECONDS
  encode-sse   ag-ui-protocol EventEncoder.encode, one SSE frame per event
"""

import sys

from ag_ui.core import Event
from ag_ui.encoder import EventEncoder
from measuring import measure
from pydantic import TypeAdapter

WARM_UP = 3


def parse_events(path):
    """Read an SSE file into event models, one per `data:` line."""
    adapter = TypeAdapter(Event)
    with open(path, "rb") as file:
        lines = file.read().split(b"\n")
    return [adapter.validate_json(line[5:]) for line in lines if line.startswith(b"data:")]


def encode_all(encoder, events):
    """Encode every event; the length is returned so that the work is used."""
    total = 0
    for event in events:
        total += len(encoder.encode(event))
    return total


def main(argv):
    try:
        mode, path, seconds = argv
        min_seconds = float(seconds)
        if mode != "encode-sse":
            raise ValueError(mode)
    except ValueError:
        print("usage: python peer.py encode-sse FILE MIN_SECONDS", file=sys.stderr)
        return 1

    events = parse_events(path)
    encoder = EventEncoder()
    for _ in range(WARM_UP):
        encode_all(encoder, events)

    measure(mode, path, len(events), min_seconds, lambda: encode_all(encoder, events))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
