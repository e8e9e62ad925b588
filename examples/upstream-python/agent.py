"""A pydantic-ai agent that answers from the documents beside it and cites them, served over AG-UI.

With `PYDANTIC_AI_MODEL` (for example `openai:gpt-5`) it asks that model, which learns to cite from `cite.txt`, the output
of `pincite prompt`. Without it, a small model that needs no network quotes the sentences which fit the question.
Prints its address once it listens.
"""

import json
import os
import re
import socket
from pathlib import Path

import uvicorn
from pydantic_ai import Agent
from pydantic_ai.messages import UserPromptPart
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.ui.ag_ui import AGUIAdapter
from starlette.applications import Starlette
from starlette.routing import Route

HERE = Path(__file__).parent
DOCUMENTS = {path.name: path.read_text() for path in sorted((HERE / "documents").glob("*.md"))}
CITE = HERE / "cite.txt"
MAX_QUOTES = 3


def instructions() -> str:
    """Returns how to cite, then the documents under the names by which they are cited."""
    cite = CITE.read_text() if CITE.exists() else ""
    texts = [f'<attachment id="{name}">\n{text}\n</attachment>' for name, text in DOCUMENTS.items()]
    return "\n\n".join([cite, *texts])


def words(text: str) -> set[str]:
    return {word for word in re.findall(r"\w+", text.lower()) if len(word) > 3 or word.isdigit()}


def quote(question: str) -> str:
    """Answers with the sentences that share most words with the question, and a block of citation data."""
    sentences = [
        (len(words(question) & words(sentence)), name, sentence)
        for name, text in DOCUMENTS.items()
        for line in text.splitlines()
        if not line.startswith("#")
        for sentence in re.split(r"(?<=[.!?])\s+", line)
    ]
    best = sorted((entry for entry in sentences if entry[0] > 0), key=lambda entry: -entry[0])
    if not best:
        return "The documents say nothing about that."
    answer, data = [], {}
    for number, (_, name, sentence) in enumerate(best[:MAX_QUOTES], start=1):
        answer.append(f"{sentence} [{number}]")
        entry = {"id": number, "reasoning": "answers the question", "full_phrase": sentence}
        data.setdefault(name, []).append(entry)
    block = f"<<<CITATION_DATA>>>\n{json.dumps(data)}\n<<<END_CITATION_DATA>>>"
    return " ".join(answer) + "\n\n" + block


async def answer_offline(messages, info):
    parts = [part for message in messages for part in message.parts]
    question = [part.content for part in parts if isinstance(part, UserPromptPart)][-1]
    text = quote(question if isinstance(question, str) else str(question))
    for start in range(0, len(text), 16):
        yield text[start : start + 16]


model = os.environ.get("PYDANTIC_AI_MODEL") or FunctionModel(stream_function=answer_offline)
agent = Agent(model, instructions=instructions())


async def run(request):
    return await AGUIAdapter.dispatch_request(request, agent=agent)


def main() -> None:
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("127.0.0.1", int(os.environ.get("PORT", "8802"))))
    listener.listen()
    print(f"agent http://127.0.0.1:{listener.getsockname()[1]}", flush=True)
    app = Starlette(routes=[Route("/", run, methods=["POST"])])
    uvicorn.Server(uvicorn.Config(app, log_level="warning")).run(sockets=[listener])


if __name__ == "__main__":
    main()
