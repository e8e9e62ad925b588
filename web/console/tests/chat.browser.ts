import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AgentScript, Gate, startAgent, type TestAgent } from "./agent.js";
import { ask, chooseAgent, openPage, startBrowser, waitForEnd, watch } from "./browser.js";
import { startServer, type TestServer } from "./server.js";

const NORDVIK = "What happened to the harbour of Nordvik?";

/** Gates of slow answers, by the question. */
const gates = new Map<string, Gate>();

function gateFor(question: string): Gate {
  const gate = new Gate();
  gates.set(question, gate);
  return gate;
}

const script: AgentScript = async (run) => {
  const question = run.input.messages.findLast((message) => message.role === "user")?.content ?? "";
  const gate = gates.get(question);
  if (gate) {
    await run.write(
      (async function* () {
        yield "The beginning. ";
        await gate.wait();
        yield "The end.";
      })(),
    );
    return undefined;
  }
  run.say(`You asked: ${question}`);
  return undefined;
};

describe("chat", () => {
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

  /** Opens a new thread with an agent. */
  async function newThread(name: "demo" | "mock", options = {}) {
    const watched = await openPage(browser, options);
    await watched.page.goto(`${server.url}/app/`);
    await chooseAgent(watched.page, name);
    return watched;
  }

  it("streams an answer whose quotes are checked, and shows the evidence", async () => {
    const { page, faults, context } = await newThread("demo");
    await ask(page, NORDVIK);
    await page.waitForURL(/\/app\/threads\/\w+$/);
    await page.getByRole("button", { name: "Citation 1, verified" }).waitFor();
    await waitForEnd(page);
    const log = page.getByRole("log", { name: "Conversation" });
    await log.getByRole("article", { name: "You" }).getByText(NORDVIK).waitFor();
    await log.getByRole("article", { name: "demo" }).waitFor();
    for (const name of [
      "Citation 3, found elsewhere",
      "Citation 5, partly found",
      "Citation 6, not found",
    ]) {
      await page.getByRole("button", { name }).waitFor();
    }
    await page.getByText("3 of 7").waitFor();

    await page.getByRole("button", { name: "Citation 1, verified" }).click();
    const evidence = page.getByRole("complementary", { name: "Evidence" });
    await evidence.getByText("Verified", { exact: true }).waitFor();
    await evidence.getByRole("img", { name: "Page 1 of nordvik.pdf, passage marked" }).waitFor();
    await page.keyboard.press("j");
    await evidence.getByText("Citation 2 of 7").waitFor();
    await page.keyboard.press("k");
    await evidence.getByText("Citation 1 of 7").waitFor();
    await page.keyboard.press("Escape");
    await evidence.waitFor({ state: "detached" });
    expect(await page.evaluate(() => document.activeElement?.getAttribute("aria-label"))).toBe(
      "Citation 1, verified",
    );

    const thread = page.getByRole("navigation", { name: "Threads" }).getByRole("link");
    await thread.filter({ hasText: NORDVIK }).first().waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });

  it("shows the difference word by word when a quote is not found", async () => {
    const { page, context } = await newThread("demo");
    await ask(page, NORDVIK);
    await page.getByRole("button", { name: "Citation 6, not found" }).click();
    const evidence = page.getByRole("complementary", { name: "Evidence" });
    await evidence.locator("del", { hasText: "3.2" }).waitFor();
    await evidence.locator("ins", { hasText: "3.1" }).waitFor();
    await evidence.getByText("nordvik.pdf, page 2, line 7").waitFor();
    await evidence.getByText(/What was compared \(\d+ attempts\)/).click();
    await evidence.getByText("The cited page").waitFor();
    await context.close();
  });

  it("filters the citations of an answer by state", async () => {
    const { page, context } = await newThread("demo");
    await ask(page, NORDVIK);
    await waitForEnd(page);
    await page.getByRole("button", { name: "2 not found" }).click();
    await page.getByRole("button", { name: "Citation 6, not found" }).click();
    await page.getByText("Citation 1 of 2 (not found)").waitFor();
    expect(await page.locator("[data-dimmed=true]").count()).toBe(5);
    await context.close();
  });

  it("stops a run, keeps what was written, and retries", async () => {
    const question = "Stop this";
    const gate = gateFor(question);
    const { page, context } = await newThread("mock");
    await ask(page, question);
    await page.getByText("The beginning.").waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByText("Stopped. What was written stays.").waitFor();
    await page.getByText("The beginning.").waitFor();
    gate.open();
    await page.getByRole("button", { name: "Retry" }).click();
    await page.getByText("The end.").waitFor();
    expect(await page.getByRole("article", { name: "mock" }).count()).toBe(1);
    await context.close();
  });

  it("continues a run after a reload, in a second tab too", async () => {
    const question = "Reload this";
    const gate = gateFor(question);
    const { page, context } = await newThread("mock");
    await ask(page, question);
    await page.getByText("The beginning.").waitFor();
    await page.reload();
    await page.getByText("The beginning.").waitFor();
    const second = await context.newPage();
    const faults = watch(second);
    await second.goto(page.url());
    await second.getByText("The beginning.").waitFor();
    gate.open();
    for (const tab of [page, second]) {
      await tab.getByText("The end.").waitFor();
      await waitForEnd(tab);
      expect(await tab.getByRole("article").count()).toBe(2);
    }
    // A run that one tab starts is shown by the other.
    await ask(page, "Second question");
    await second.getByText("You asked: Second question").waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });

  it("explains an interrupted run after a restart of the server, and asks again", async () => {
    const question = "Restart this";
    const gate = gateFor(question);
    const { page, context } = await newThread("mock");
    await ask(page, question);
    await page.getByText("The beginning.").waitFor();
    await server.crashAndRestart();
    await page
      .getByRole("alert")
      .getByText(/interrupted|crash/i)
      .first()
      .waitFor();
    await page.getByText("The beginning.").waitFor();
    gate.open();
    await page.getByRole("button", { name: "Ask again" }).click();
    await page.getByText("The end.").waitFor();
    await context.close();
  });

  it("waits with a question while offline", async () => {
    const { page, context } = await newThread("mock");
    await context.setOffline(true);
    await page.getByText("You are offline").waitFor();
    await ask(page, "Sent later");
    await page.getByText("The connection was lost.").waitFor();
    await context.setOffline(false);
    await page.getByText("You asked: Sent later").waitFor();
    await waitForEnd(page);
    await context.close();
  });

  it("asks an edited question in a branch, and switches between branches", async () => {
    const { page, context } = await newThread("mock");
    await ask(page, "First wording");
    await page.getByText("You asked: First wording").waitFor();
    await waitForEnd(page);
    const original = page.url();
    await page.getByRole("article", { name: "You" }).hover();
    await page.getByRole("button", { name: "Edit" }).click();
    await page.getByRole("textbox", { name: "Edited question" }).fill("Second wording");
    await page.getByRole("button", { name: "Ask again" }).click();
    await page.getByText("You asked: Second wording").waitFor();
    expect(page.url()).not.toBe(original);
    await page.getByText("Branch 2 of 2").waitFor();
    await page.getByRole("button", { name: "Previous branch" }).click();
    await page.getByText("You asked: First wording").waitFor();
    expect(page.url()).toBe(original);
    await context.close();
  });

  it("attaches files, which the run then uses", async () => {
    const { page, faults, context } = await newThread("mock");
    const picking = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: "Attach files" }).click();
    await (await picking).setFiles({
      name: "notes <b>.txt",
      mimeType: "text/plain",
      buffer: Buffer.from("The bridge was opened in 1987."),
    });
    await page.getByText("1 page").waitFor();
    await ask(page, "When was the bridge opened?");
    await page.getByRole("link", { name: "notes <b>.txt" }).waitFor();
    await waitForEnd(page);
    const props = (agent.inputs.at(-1) as { forwardedProps?: { attachmentIds?: string[] } })
      .forwardedProps;
    expect(props?.attachmentIds).toHaveLength(1);
    await page.reload();
    await page.getByRole("link", { name: "notes <b>.txt" }).waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });

  it("explains why an answer has no citations", async () => {
    const { page, context } = await newThread("mock");
    await ask(page, "No quotes");
    await page.getByRole("button", { name: "Why no citations?" }).click();
    await page.getByText("The answer contains no citation").waitFor();
    await context.close();
  });

  it("follows the text until the person scrolls up", async () => {
    const question = "Long answer";
    const gate = gateFor(question);
    const { page, context } = await newThread("mock", { height: 420 });
    for (const filler of ["One", "Two", "Three", "Four", "Five", "Six"]) {
      await ask(page, filler);
      await page.getByText(`You asked: ${filler}`).waitFor();
      await waitForEnd(page);
    }
    await ask(page, question);
    await page.getByText("The beginning.").waitFor();
    await page.getByRole("log").hover();
    await page.mouse.wheel(0, -600);
    const more = page.getByRole("button", { name: "More below" });
    await more.waitFor();
    gate.open();
    await waitForEnd(page);
    await more.click();
    await more.waitFor({ state: "detached" });
    expect(await page.getByText("The end.").isVisible()).toBe(true);
    await context.close();
  });
});
