"""A pydantic-ai agent that cites `report.pdf` by its file name, served over AG-UI.

It repeats the system prompt that it was given if the question is `prompt`. Prints its URL once it listens.
"""

import socket

import uvicorn
from pydantic_ai import Agent
from pydantic_ai.messages import SystemPromptPart, UserPromptPart
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.ui.ag_ui import AGUIAdapter
from starlette.applications import Starlette
from starlette.routing import Route

ANSWER = """The first quay was built in 1911 [1]. It was 90 metres long [2].

<<<CITATION_DATA>>>
{"report.pdf":[{"id":1,"full_phrase":"The first quay of Nordvik was built in 1911","anchor_text":"1911"},
{"id":2,"full_phrase":"It was 90 metres long and made of oak"}]}
<<<END_CITATION_DATA>>>"""


async def answer(messages, info):
    parts = [part for message in messages for part in message.parts]
    asked = [part.content for part in parts if isinstance(part, UserPromptPart)]
    system = [part.content for part in parts if isinstance(part, SystemPromptPart)]
    text = "\n".join(system) if asked[-1] == "prompt" else ANSWER
    for at in range(0, len(text), 9):
        yield text[at : at + 9]


agent = Agent(FunctionModel(stream_function=answer))


async def run(request):
    # By default pydantic-ai drops system messages of its clients.
    return await AGUIAdapter.dispatch_request(request, agent=agent, manage_system_prompt="client")


class Server(uvicorn.Server):
    async def startup(self, sockets=None):
        await super().startup(sockets)
        print(f"http://127.0.0.1:{sockets[0].getsockname()[1]}/", flush=True)


listener = socket.socket()
listener.bind(("127.0.0.1", 0))
app = Starlette(routes=[Route("/", run, methods=["POST"])])
Server(uvicorn.Config(app, log_level="warning")).run(sockets=[listener])
