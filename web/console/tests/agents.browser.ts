import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AgentScript, startAgent, type TestAgent } from "./agent.js";
import { ask, chooseAgent, openPage, startBrowser, waitForEnd } from "./browser.js";
import { startServer, type TestServer } from "./server.js";

/** Text that would do harm as HTML or as a link. */
const HOSTILE = [
  '<img src="x" onerror="window.harmed=1"><script>window.harmed=1</script>',
  "[click](javascript:window.harmed=1) [data](data:text/html,x) [user](https://good.example@evil.example/)",
  "![pixel](https://tracker.example/pixel.png)",
  "`code [1]` and <b>bold</b>",
].join("\n\n");

const script: AgentScript = async (run) => {
  const last = run.input.messages.at(-1);
  const question = run.input.messages.findLast((message) => message.role === "user")?.content;
  if (run.input.resume) {
    run.say(`Resumed with ${JSON.stringify(run.input.resume[0]?.payload)}`);
    return undefined;
  }
  if (last?.role === "tool") {
    run.say(`The tool said ${last.content}`);
    return undefined;
  }
  if (question === "approve" || question === "client tool") {
    run.send({ type: "TOOL_CALL_START", toolCallId: "c1", toolCallName: "send_mail" });
    run.send({ type: "TOOL_CALL_ARGS", toolCallId: "c1", delta: '{"to":"ada"}' });
    run.send({ type: "TOOL_CALL_END", toolCallId: "c1" });
    if (question === "client tool") return undefined;
    const interrupt = {
      id: "i1",
      reason: "tool_call",
      message: "Send the mail?",
      toolCallId: "c1",
    };
    return { type: "interrupt", interrupts: [interrupt] };
  }
  if (question === "steps") {
    run.send({ type: "REASONING_START", messageId: "r" });
    run.send({ type: "REASONING_MESSAGE_START", messageId: "r", role: "reasoning" });
    run.send({ type: "REASONING_MESSAGE_CONTENT", messageId: "r", delta: "Let me look." });
    run.send({ type: "REASONING_MESSAGE_END", messageId: "r" });
    run.send({ type: "REASONING_END", messageId: "r" });
    run.send({ type: "TOOL_CALL_START", toolCallId: "s1", toolCallName: "search" });
    run.send({ type: "TOOL_CALL_ARGS", toolCallId: "s1", delta: '{"query":"quay"}' });
    run.send({ type: "TOOL_CALL_END", toolCallId: "s1" });
    run.send({
      type: "TOOL_CALL_RESULT",
      messageId: "t1",
      toolCallId: "s1",
      content: "3 passages",
    });
    run.say("Found it.");
    return undefined;
  }
  run.say(question === "harm" ? HOSTILE : "Nothing.");
  return undefined;
};

describe("agents", () => {
  let browser: Browser;
  let server: TestServer;
  let agent: TestAgent;
  beforeAll(async () => {
    agent = await startAgent(script);
    [browser, server] = await Promise.all([startBrowser(), startServer({ mock: agent.url })]);
  });
  afterAll(async () => {
    await browser.close();
    await server.stop();
    await agent.stop();
  });

  async function askMock(question: string): Promise<Page> {
    const { page } = await openPage(browser);
    await page.goto(`${server.url}/app/`);
    await chooseAgent(page, "mock");
    await ask(page, question);
    return page;
  }

  it("shows reasoning and tool calls collapsed", async () => {
    const page = await askMock("steps");
    await page.getByText("Found it.").waitFor();
    expect(await page.getByText("Let me look.").isVisible()).toBe(false);
    await page.getByText(/^Used search/).click();
    await page.getByText("Let me look.").waitFor();
    await page.locator("summary", { hasText: "search" }).last().click();
    await page.getByText("3 passages").waitFor();
    await page.context().close();
  });

  it("asks for approval, with arguments that can be edited, also after a reload", async () => {
    const page = await askMock("approve");
    await page.getByRole("heading", { name: "Send the mail?" }).waitFor();
    await page.reload();
    const field = page.getByRole("textbox", { name: "Arguments" });
    await field.fill("{");
    await page.getByText("This is not valid JSON").waitFor();
    expect(await page.getByRole("button", { name: "Approve" }).isDisabled()).toBe(true);
    await field.fill('{"to":"bob"}');
    await page.getByRole("button", { name: "Approve" }).click();
    await page.getByText('Resumed with {"approved":true,"arguments":{"to":"bob"}}').waitFor();
    await page.context().close();
  });

  it("lets a person answer a tool call of the frontend", async () => {
    const page = await askMock("client tool");
    await page.getByRole("textbox", { name: "Result" }).fill("done");
    await page.getByRole("button", { name: "Give result" }).click();
    await page.getByText("The tool said done").waitFor();
    await page.context().close();
  });

  it("renders nothing of a model as HTML and opens no unsafe address", async () => {
    const requests: string[] = [];
    const { page, context } = await openPage(browser);
    page.on("request", (request) => requests.push(request.url()));
    await page.goto(`${server.url}/app/`);
    await chooseAgent(page, "mock");
    await ask(page, "harm");
    await waitForEnd(page);
    const answer = page.getByRole("article", { name: "mock" });
    await answer.getByText("<script>window.harmed=1</script>").waitFor();
    expect(await page.evaluate(() => "harmed" in window)).toBe(false);
    expect(await answer.locator("img, script, b").count()).toBe(0);
    const links = await answer
      .locator("a")
      .evaluateAll((all) => all.map((a) => a.getAttribute("href")));
    expect(links).toEqual(["https://tracker.example/pixel.png"]);
    expect(requests.filter((url) => !url.startsWith(server.url))).toEqual([]);
    await context.close();
  });

  it("has a policy that blocks inline code", async () => {
    const { page, context } = await openPage(browser);
    const response = await page.goto(`${server.url}/app/`);
    const policy = response?.headers()["content-security-policy"] ?? "";
    expect(policy).toContain("script-src 'self'");
    expect(policy).not.toContain("unsafe");
    const ran = await page.evaluate(() => {
      const script = document.createElement("script");
      script.textContent = "window.harmed = 1";
      document.head.append(script);
      const image = document.createElement("img");
      image.setAttribute("onerror", "window.harmed = 1");
      image.src = "data:,";
      document.body.append(image);
      return "harmed" in window;
    });
    expect(ran).toBe(false);
    await context.close();
  });
});
