"""Python servers of the benchmark, on starlette and uvicorn.

usage: python server.py MODE FILE
  sdk           ag-ui-protocol EventEncoder.encode, one SSE frame per event
  pydantic-ai   an agent of pydantic-ai whose model streams the text without a network
"""

import json
import socket
import sys

import uvicorn
from starlette.applications import Starlette
from starlette.responses import StreamingResponse
from starlette.routing import Route


def data_lines(path):
    """The JSON text of every `data:` line."""
    with open(path, "rb") as file:
        return [line[5:] for line in file.read().split(b"\n") if line.startswith(b"data:")]


def sdk(path):
    """A handler that encodes each event of the file; the run's ends name the run asked for."""
    from ag_ui.core import Event, RunAgentInput, RunFinishedEvent, RunStartedEvent
    from ag_ui.encoder import EventEncoder
    from pydantic import TypeAdapter

    adapter = TypeAdapter(Event)
    events = [adapter.validate_json(line) for line in data_lines(path)[1:-1]]

    async def handle(request):
        run = RunAgentInput.model_validate_json(await request.body())
        encoder = EventEncoder(accept=request.headers.get("accept"))

        async def frames():
            yield encoder.encode(RunStartedEvent(thread_id=run.thread_id, run_id=run.run_id))
            for event in events:
                yield encoder.encode(event)
            yield encoder.encode(RunFinishedEvent(thread_id=run.thread_id, run_id=run.run_id))

        return StreamingResponse(frames(), media_type=encoder.get_content_type())

    return handle


def pydantic_ai(path):
    """A handler that runs an agent; its model yields the deltas of the file."""
    from pydantic_ai import Agent
    from pydantic_ai.models.function import FunctionModel
    from pydantic_ai.ui.ag_ui import AGUIAdapter

    deltas = [event["delta"] for event in map(json.loads, data_lines(path)) if "delta" in event]

    async def stream(messages, info):
        for delta in deltas:
            yield delta

    agent = Agent(FunctionModel(stream_function=stream))

    async def handle(request):
        return await AGUIAdapter.dispatch_request(request, agent=agent)

    return handle


MODES = {"sdk": sdk, "pydantic-ai": pydantic_ai}


class Server(uvicorn.Server):
    """A server that prints its URL once it listens."""

    async def startup(self, sockets=None):
        await super().startup(sockets)
        print(f"http://127.0.0.1:{sockets[0].getsockname()[1]}/", flush=True)


def main(argv):
    if len(argv) != 2 or argv[0] not in MODES:
        print(f"usage: python server.py {'|'.join(MODES)} FILE", file=sys.stderr)
        return 1
    mode, path = argv
    app = Starlette(routes=[Route("/", MODES[mode](path), methods=["POST"])])
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    config = uvicorn.Config(app, loop="uvloop", http="httptools", log_level="warning", access_log=False)
    Server(config).run(sockets=[listener])
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
