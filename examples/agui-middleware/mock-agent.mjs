// AG-UI agent with one answer. It knows nothing of Pincite: it cites, and the middleware in the page verifies.
import { createServer } from "node:http";

const CITATIONS = [
  { id: 1, full_phrase: "The rent is 48,500 crowns per month", anchor_text: "48,500" },
  { id: 2, full_phrase: "The tenant pays a deposit of six months of rent", anchor_text: "six months" },
];
const ANSWER = [
  "The rent is 48,500 crowns per month [1], with a deposit of six months [2].\n\n",
  `<<<CITATION_DATA>>>\n${JSON.stringify({ "quay-lease.pdf": CITATIONS })}\n<<<END_CITATION_DATA>>>`,
].join("");

const server = createServer(async (request, response) => {
  let body = "";
  for await (const chunk of request) body += chunk;
  const { threadId, runId } = JSON.parse(body);
  const messageId = `${runId}-answer`;
  response.writeHead(200, { "Content-Type": "text/event-stream" });
  const send = (event) => response.write(`data: ${JSON.stringify(event)}\n\n`);
  send({ type: "RUN_STARTED", threadId, runId });
  send({ type: "TEXT_MESSAGE_START", messageId, role: "assistant" });
  for (const delta of ANSWER.match(/[\s\S]{1,12}/g)) {
    send({ type: "TEXT_MESSAGE_CONTENT", messageId, delta });
  }
  send({ type: "TEXT_MESSAGE_END", messageId });
  send({ type: "RUN_FINISHED", threadId, runId });
  response.end();
});
server.listen(Number(process.env.PORT ?? 8801), "127.0.0.1", () => {
  console.log(`agent http://127.0.0.1:${server.address().port}`);
});
