"""pydantic-ai agent over AG-UI with a scripted model: 200 deltas per run. Prints the CPU time of so many runs in seconds."""
import asyncio
import json
import sys
import time

from pydantic_ai import Agent
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.ui.ag_ui import AGUIAdapter
from ag_ui.core import RunAgentInput


async def deltas(_messages, _info):
    for at in range(200):
        yield f"word{at} "


async def main(runs):
    agent = Agent(FunctionModel(stream_function=deltas))

    async def run(at):
        body = {"threadId": f"t{at}", "runId": f"r{at}", "state": {}, "tools": [], "context": [], "forwardedProps": {},
                "messages": [{"id": "1", "role": "user", "content": "go"}]}
        adapter = AGUIAdapter(agent=agent, run_input=RunAgentInput.model_validate(body), accept="text/event-stream")
        async for _ in adapter.encode_stream(adapter.run_stream()):
            pass

    await run("warm")
    start = time.process_time()
    for at in range(runs):
        await run(at)
    print(json.dumps({"seconds": time.process_time() - start}))


asyncio.run(main(int(sys.argv[1])))
