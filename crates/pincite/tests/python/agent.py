"""A pydantic-ai agent with a tool, on models that need no network, served over AG-UI.

Prints its URL once it listens.
"""

import socket

import uvicorn
from pydantic_ai import Agent
from pydantic_ai.messages import ToolReturnPart
from pydantic_ai.models.function import DeltaToolCall, FunctionModel
from pydantic_ai.ui.ag_ui import AGUIAdapter
from starlette.applications import Starlette
from starlette.routing import Route


async def answer(messages, info):
    """Calls the tool first, then says what it found."""
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
