"""Uses every tool, resource and prompt of a server with the official Python SDK.

Usage: use_every_tool.py MODE TARGET…   MODE is `legacy`, `auto` or a protocol version; TARGET is a URL, or a command.
Prints one JSON object. Fails with the first broken expectation.
"""

import asyncio
import base64
import json
import sys

from mcp import StdioServerParameters
from mcp.client.client import Client

TEXT = "The quay is 84 metres long and made of oak.\nIt was opened on 3 March 1931.\n"


async def use(client: Client) -> dict:
    tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    called = []

    async def call(name: str, /, **arguments):
        steps = []

        async def progress(done, total, message):
            steps.append(done)

        result = await client.call_tool(name, arguments, progress_callback=progress)
        assert not result.is_error, f"{name}: {result.content}"
        assert json.loads(result.content[0].text) == result.structured_content, name
        assert set(tools[name].output_schema.get("required", [])) <= set(result.structured_content), name
        called.append(name)
        return result.structured_content, steps

    added, steps = await call("add_document", name="quay.md", text=TEXT, labels=["harbour"])
    assert steps == [0, 1, 2], steps
    assert added["pageCount"] == 1 and not added["existed"], added
    again, _ = await call("add_document", name="quay.md", base64=base64.b64encode(TEXT.encode()).decode())
    assert again["existed"] and again["id"] == added["id"], again

    listed, _ = await call("list_documents")
    assert "quay.md" in [document["name"] for document in listed["documents"]], listed
    read, _ = await call("read", document="quay.md")
    assert "84 metres" in read["pages"][0]["text"], read

    right, _ = await call("verify_quote", quote="84 metres long and made of oak", document="quay.md")
    assert right["verified"] and right["status"] == "found" and right["page"] == 1, right
    wrong, _ = await call("verify_quote", quote="The quay is 48 metres long and made of oak", document=added["id"])
    assert not wrong["verified"] and wrong["category"] == "missed", wrong
    assert "84 metres" in wrong["sourceText"], wrong
    elsewhere, _ = await call("verify_quote", quote="opened on 3 March 1931", page=7, document="quay.md")
    assert not elsewhere["verified"] and elsewhere["category"] == "partial", elsewhere

    answer = 'It is "84 metres long" (quay.md, p. 1) and "made of pine" (quay.md, p. 1).'
    checked, steps = await call("verify_answer", answer=answer)
    assert (checked["total"], checked["verified"]) == (2, 1) and not checked["allVerified"], checked
    assert steps == [1, 2], steps

    for _ in range(600):
        found, _ = await call("search", query="quay oak", documents=["quay.md"])
        if found["hits"]:
            break
        await asyncio.sleep(0.05)
    assert found["hits"][0]["document"] == "quay.md" and "oak" in found["hits"][0]["text"], found
    asked, _ = await call("ask", question="How long is the quay?", documents=["quay.md"])
    assert "84 metres" in asked["answer"] and not asked["refused"], asked
    assert asked["citations"] and all(quote["verified"] for quote in asked["citations"]), asked

    missing = await client.call_tool("read", {"document": "none.pdf"})
    assert missing.is_error and "list_documents" in missing.content[0].text, missing
    invalid = await client.call_tool("search", {})
    assert invalid.is_error and "query" in invalid.content[0].text, invalid

    resources = (await client.list_resources()).resources
    assert added["uri"] in [str(resource.uri) for resource in resources], resources
    templates = (await client.list_resource_templates()).resource_templates
    assert len(templates) == 5, templates
    text = (await client.read_resource(added["uri"])).contents[0]
    assert "made of oak" in text.text, text
    page = (await client.read_resource(found["hits"][0]["pageUri"])).contents[0]
    assert "1931" in page.text, page
    image = (await client.read_resource(f"{added['uri']}/pages/1.png")).contents[0]
    assert image.mime_type == "image/png" and base64.b64decode(image.blob)[:4] == b"\x89PNG", image.mime_type
    evidence = (await client.read_resource(right["evidenceUri"])).contents[0]
    assert json.loads(evidence.text)["verification"]["status"] == "found", evidence
    strip = (await client.read_resource(right["evidenceUri"] + ".png")).contents[0]
    assert base64.b64decode(strip.blob)[:4] == b"\x89PNG"
    try:
        await client.read_resource("pincite://documents/none")
        raise AssertionError("a missing resource was read")
    except Exception as error:
        assert "none" in str(error), error

    prompts = [prompt.name for prompt in (await client.list_prompts()).prompts]
    for name in prompts:
        arguments = {"question": "How long?", "answer": answer}
        prompt = await client.get_prompt(name, arguments)
        assert len(prompt.messages) == 1, prompt
    return {
        "version": client.protocol_version,
        "tools": sorted(tools),
        "called": sorted(set(called)),
        "prompts": len(prompts),
        "instructions": bool(client.instructions),
    }


async def main(mode: str, target: list[str]) -> None:
    server = target[0]
    if not server.startswith("http"):
        server = StdioServerParameters(command=target[0], args=target[1:])
    async with Client(server, mode=mode) as client:
        print(json.dumps(await use(client)))


asyncio.run(main(sys.argv[1], sys.argv[2:]))
