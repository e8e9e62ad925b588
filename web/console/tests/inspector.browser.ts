import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AgentScript, Gate, startAgent, type TestAgent } from "./agent.js";
import { openPage, startBrowser } from "./browser.js";
import { runCommand, startServer, type TestServer } from "./server.js";

let gate = new Gate();

const script: AgentScript = async (run) => {
  const question = run.input.messages.findLast((message) => message.role === "user")?.content;
  if (question === "broken") {
    run.send({ type: "TEXT_MESSAGE_CONTENT", messageId: "never-started", delta: "x" });
    return undefined;
  }
  if (question === "slow") {
    await run.write(
      (async function* () {
        yield "The beginning. ";
        await gate.wait();
        yield "The end.";
      })(),
    );
    return undefined;
  }
  const at = 1_700_000_000_000;
  run.send({ type: "STEP_STARTED", stepName: "search", timestamp: at });
  run.send({ type: "STATE_DELTA", delta: [{ op: "add", path: "", value: { found: 1 } }] });
  run.send({ type: "STATE_DELTA", delta: [{ op: "add", path: "/found", value: 3 }] });
  run.send({ type: "STEP_FINISHED", stepName: "search", timestamp: at + 1500 });
  run.say("Three.");
  return undefined;
};

describe("inspector", () => {
  let browser: Browser;
  let server: TestServer;
  let agent: TestAgent;
  beforeAll(async () => {
    agent = await startAgent(script);
    [browser, server] = await Promise.all([startBrowser(), startServer({ mock: agent.url })]);
    await Promise.all(["steps", "broken"].map((question) => run(question)));
  });
  afterAll(async () => {
    await browser.close();
    await server.stop();
    await agent.stop();
  });

  /** Runs the agent in a thread that is named after the question, to its end. */
  async function run(question: string): Promise<string> {
    const messages = [{ id: `q-${question}`, role: "user", content: question }];
    const response = await fetch(`${server.url}/agents/mock`, {
      method: "POST",
      body: JSON.stringify({ threadId: question, runId: `r-${question}`, messages }),
    });
    return response.text();
  }

  async function inspect(thread: string) {
    const watched = await openPage(browser);
    await watched.page.goto(`${server.url}/app/threads/${thread}/inspect`);
    await watched.page.getByRole("group", { name: "Events" }).getByText("RUN_STARTED").waitFor();
    return watched;
  }
  const rows = (page: Page) => page.getByRole("group", { name: "Events" }).getByRole("button");

  it("filters events by kind and text, and shows the JSON of one", async () => {
    const { page, context, faults } = await inspect("steps");
    const all = await rows(page).count();
    await page.getByRole("checkbox", { name: "State" }).uncheck();
    await expect.poll(() => rows(page).count()).toBeLessThan(all);
    await page.getByRole("searchbox", { name: "Filter events" }).fill("Three.");
    await expect.poll(() => rows(page).count()).toBe(1);
    await rows(page).first().click();
    await page
      .getByRole("region", { name: /^Event \d+$/ })
      .getByText('"delta": "Three."')
      .waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });

  it("shows the patch that changed a value of the state", async () => {
    const { page, context, faults } = await inspect("steps");
    await page.getByRole("button", { name: "State", exact: true }).click();
    await page.getByRole("button", { name: /^Event \d+ changed found$/ }).click();
    const patch = page.getByRole("region", { name: "Change of /found" });
    await patch.getByText('"value": 3').waitFor();
    await patch.getByRole("button", { name: "Show event" }).click();
    await page
      .getByRole("region", { name: /^Event \d+$/ })
      .getByText('"path": "/found"')
      .waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });

  it("names the rules that events break", async () => {
    const { page, context } = await inspect("broken");
    await page.getByRole("button", { name: /^Rules/ }).click();
    const rules = page.getByRole("list", { name: "Broken rules" });
    await rules.getByText("upstream_protocol").waitFor();
    await rules
      .getByRole("button", { name: /^Show event/ })
      .first()
      .click();
    await page.getByText("✗ breaks a rule").first().waitFor();
    await page.goto(`${server.url}/app/threads/steps/inspect`);
    await page.getByRole("button", { name: /^Rules/ }).click();
    await page.getByText("follow the rules of AG-UI").waitFor();
    await context.close();
  });

  it("draws the timings of runs, steps and messages", async () => {
    const { page, context, faults } = await inspect("steps");
    await page.getByRole("button", { name: "Timings" }).click();
    const timings = page.getByRole("table", { name: "Timings" });
    await timings.getByRole("row", { name: /^Run of mock/ }).waitFor();
    await timings.getByRole("row", { name: /^Step search .* 1\.5 s/ }).waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });

  it("follows a run while it happens", async () => {
    gate = new Gate();
    await run("first");
    const { page, context } = await inspect("first");
    const running = fetch(`${server.url}/agents/mock`, {
      method: "POST",
      body: JSON.stringify({
        threadId: "first",
        runId: "second-run",
        messages: [{ id: "q2", role: "user", content: "slow" }],
      }),
    }).then((response) => response.text());
    await page.getByRole("searchbox", { name: "Filter events" }).fill("The beginning");
    await expect.poll(() => rows(page).count(), { timeout: 15_000 }).toBe(1);
    await page.getByRole("searchbox", { name: "Filter events" }).fill("The end");
    gate.open();
    await running;
    await expect.poll(() => rows(page).count(), { timeout: 15_000 }).toBe(1);
    await context.close();
  });

  it("downloads a recording that the command line reads", async () => {
    const { page, context } = await inspect("steps");
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download recording" }).click();
    const file = await download;
    expect(file.suggestedFilename()).toBe("steps.sse");
    const path = join(server.data, "steps.sse");
    writeFileSync(path, readFileSync(await file.path()));
    const printed = await runCommand(["stream", "fold", path]);
    expect(printed).toContain("Three.");
    await context.close();
  });
});
