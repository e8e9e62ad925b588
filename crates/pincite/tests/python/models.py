"""Reads events with the models of ag-ui-protocol: JSON lines in, the same lines as the models say them out."""

import sys

from ag_ui.core import Event
from pydantic import TypeAdapter

adapter = TypeAdapter(Event)
for line in sys.stdin:
    event = adapter.validate_json(line)
    print(adapter.dump_json(event, by_alias=True, exclude_none=True).decode())
