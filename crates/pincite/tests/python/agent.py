"""A pydantic-ai agent with a tool, on models that need no network, served over AG-UI.

Prints its URL once it listens.
"""

import socket

import uvicorn
from pydantic_ai import Agent
from pydantic_ai.messages import ToolReturnPart, UserPromptPart
from pydantic_ai.models.function import DeltaToolCall, FunctionModel
from pydantic_ai.ui.ag_ui import AGUIAdapter
from starlette.applications import Starlette
from starlette.routing import Route


QUOTING = """High tide [1], they say, and ebb at noon [2].

<<<CITATION_DATA>>>
[{"id":1,"attachment_id":"tide","full_phrase":"High tide was at 12:04"},
{"id":2,"attachment_id":"tide","full_phrase":"Ships sank near Oslo"}]
<<<END_CITATION_DATA>>>"""


async def answer(messages, info):
    """Calls the tool first, then says what it found; quotes a source when asked to."""
    asked = [part.content for part in messages[-1].parts if isinstance(part, UserPromptPart)]
    if asked and asked[-1] == "quote":
        for at in range(0, len(QUOTING), 7):
            yield QUOTING[at : at + 7]
        return
    found = [
        part.content
        for message in messages
        for part in message.parts
        if isinstance(part, ToolReturnPart)
    ]
    if not found:
        yield {0: DeltaToolCall(name="tide", json_args='{"port":', tool_call_id="call-1")}
        yield {0: DeltaToolCall(json_args='"Bergen"}')}
        return
    for word in ["High ", "tide ", "is ", "at ", str(found[-1]), ". ", "“Zurück” 🌊"]:
        yield word


agent = Agent(FunctionModel(stream_function=answer))


@agent.tool_plain
def tide(port: str) -> str:
    """When the tide is high."""
    return f"12:04 in {port}"


async def run(request):
    return await AGUIAdapter.dispatch_request(request, agent=agent)


class Server(uvicorn.Server):
    async def startup(self, sockets=None):
        await super().startup(sockets)
        print(f"http://127.0.0.1:{sockets[0].getsockname()[1]}/", flush=True)


listener = socket.socket()
listener.bind(("127.0.0.1", 0))
app = Starlette(routes=[Route("/", run, methods=["POST"])])
Server(uvicorn.Config(app, log_level="warning")).run(sockets=[listener])
