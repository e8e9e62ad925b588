// A scripted AG-UI agent: it calls the actions of the page, reads its readables, and quotes with and without error.
import { createServer } from "node:http";

const QUOTES = {
    right: "The quay is 84 metres long and made of oak",
    wrong: "The quay is 48 metres long and made of oak",
};

/** Returns the events that answer an input. */
function* answer(input) {
    const { threadId, runId } = input;
    const last = input.messages.at(-1);
    const id = `a-${runId}`;
    yield { type: "RUN_STARTED", threadId, runId };
    const call = (name, args) => [
        { type: "TOOL_CALL_START", toolCallId: `c-${runId}`, toolCallName: name, parentMessageId: id },
        { type: "TOOL_CALL_ARGS", toolCallId: `c-${runId}`, delta: JSON.stringify(args) },
        { type: "TOOL_CALL_END", toolCallId: `c-${runId}` },
    ];
    const say = (text) => [
        { type: "TEXT_MESSAGE_START", messageId: id, role: "assistant" },
        { type: "TEXT_MESSAGE_CONTENT", messageId: id, delta: text },
        { type: "TEXT_MESSAGE_END", messageId: id },
    ];
    if (last.role === "tool") yield* say(`Result: ${last.content}`);
    else if (last.content.includes("add")) yield* call("addNote", { text: "Measure the tide" });
    else if (last.content.includes("done")) yield* call("completeNote", { id: 1 });
    else if (last.content.includes("rename")) yield* call("renamePage", { title: "Tide notes" });
    else if (last.content.includes("remove")) yield* call("confirmRemoval", { id: 1 });
    else if (last.content.includes("page")) {
        const title = input.context.find((entry) => entry.description === "Title of the page");
        yield* say(`The page is called ${title?.value}.`);
    } else {
        const entry = (number, quote) => ({ id: number, attachment_id: "quay.md", full_phrase: quote });
        const data = JSON.stringify([entry(1, QUOTES.right), entry(2, QUOTES.wrong)]);
        yield* say(
            `It is 84 metres long [1], others say 48 [2].\n<<<CITATION_DATA>>>${data}<<<END_CITATION_DATA>>>`,
        );
    }
    yield { type: "RUN_FINISHED", threadId, runId };
}

/** Starts the agent on a free port and returns its address. */
export function startAgent() {
    const server = createServer((request, response) => {
        let body = "";
        request.on("data", (chunk) => {
            body += chunk;
        });
        request.on("end", () => {
            response.writeHead(200, { "content-type": "text/event-stream" });
            for (const event of answer(JSON.parse(body))) response.write(`data: ${JSON.stringify(event)}\n\n`);
            response.end();
        });
    });
    return new Promise((resolve) => {
        server.listen(0, "127.0.0.1", () => {
            const { port } = server.address();
            resolve({ url: `http://127.0.0.1:${port}/`, close: () => server.close() });
        });
    });
}
