// Uses every tool, a resource and a prompt of a server with the official TypeScript SDKs.
//
// Usage: node use-every-tool.mjs GENERATION TARGET…   GENERATION is `v1` (protocol 2025-11-25) or `v2` (2026-07-28);
// TARGET is a URL, or a command. Prints one JSON object. Fails with the first broken expectation.
import assert from "node:assert/strict";

const [generation, ...target] = process.argv.slice(2);
const isHttp = target[0].startsWith("http");

async function connect() {
    if (generation === "v1") {
        const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
        const client = new Client({ name: "test", version: "1" });
        if (isHttp) {
            const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/sdk/client/streamableHttp.js");
            await client.connect(new StreamableHTTPClientTransport(new URL(target[0])));
        } else {
            const { StdioClientTransport } = await import("@modelcontextprotocol/sdk/client/stdio.js");
            await client.connect(new StdioClientTransport({ command: target[0], args: target.slice(1) }));
        }
        return client;
    }
    const { Client, StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
    const client = new Client(
        { name: "test", version: "1" },
        { versionNegotiation: { mode: { pin: "2026-07-28" } } },
    );
    if (isHttp) {
        await client.connect(new StreamableHTTPClientTransport(new URL(target[0])));
    } else {
        const { StdioClientTransport } = await import("@modelcontextprotocol/client/stdio");
        await client.connect(new StdioClientTransport({ command: target[0], args: target.slice(1) }));
    }
    return client;
}

const client = await connect();
const { tools } = await client.listTools();
const called = new Set();

async function call(name, args) {
    // The client validates the result against the output schema.
    const result = await client.callTool({ name, arguments: args });
    assert.ok(!result.isError, `${name}: ${JSON.stringify(result.content)}`);
    assert.deepEqual(JSON.parse(result.content[0].text), result.structuredContent);
    called.add(name);
    return result.structuredContent;
}

const text = "High tide was at 12:04.\n\nThe lock keeper left at noon.\n";
const added = await call("add_document", { name: "tide.txt", text });
assert.equal((await call("list_documents", {})).documents.some((document) => document.id === added.id), true);
assert.match((await call("read", { document: "tide.txt", fromPage: 1 })).pages[0].text, /12:04/);
const right = await call("verify_quote", { quote: "High tide was at 12:04", document: "tide.txt" });
assert.equal(right.verified, true);
const wrong = await call("verify_quote", { quote: "High tide was at 12:40", document: "tide.txt" });
assert.equal(wrong.verified, false);
const answer = await call("verify_answer", { answer: 'He said "High tide was at 12:04" (tide.txt, p. 1).' });
assert.equal(answer.allVerified, true);
let found = { hits: [] };
for (let attempt = 0; attempt < 600 && found.hits.length === 0; attempt += 1) {
    found = await call("search", { query: "lock keeper" });
    if (found.hits.length === 0) await new Promise((resolve) => setTimeout(resolve, 50));
}
assert.match(found.hits[0].text, /lock keeper/);
const asked = await call("ask", { question: "When was high tide?", documents: ["tide.txt"] });
assert.match(asked.answer, /12:04/);
const resource = await client.readResource({ uri: right.evidenceUri });
assert.equal(JSON.parse(resource.contents[0].text).verification.status, "found");
const prompt = await client.getPrompt({ name: "answer_with_citations", arguments: { question: "When?" } });
assert.match(prompt.messages[0].content.text, /When\?/);
const version = generation === "v1" ? "legacy" : client.getNegotiatedProtocolVersion();
console.log(JSON.stringify({ version, tools: tools.map((tool) => tool.name).sort(), called: [...called].sort() }));
await client.close();
