import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AgentScript, startAgent, type TestAgent } from "./agent.js";
import {
  ask,
  chooseAgent,
  expectAccessible,
  openPage,
  startBrowser,
  waitForEnd,
} from "./browser.js";
import { startServer, type TestServer } from "./server.js";

/** Largest compressed size of the scripts of the first load, in bytes. */
const FIRST_LOAD_BUDGET = 180 * 1024;
const NORDVIK = "What happened to the harbour of Nordvik?";
const DELTAS = 5000;

const script: AgentScript = async (run) => {
  const question = run.input.messages.findLast((message) => message.role === "user")?.content;
  if (question !== "many") {
    run.say("Short answer.");
    return undefined;
  }
  await run.write(
    (function* () {
      for (let word = 1; word <= DELTAS; word += 1) {
        yield word % 100 === 0 ? `word${word}.\n\n` : `word${word} `;
      }
    })(),
  );
  return undefined;
};

describe("quality", () => {
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

  for (const theme of ["light", "dark"] as const) {
    it(`is accessible on every page in the ${theme} theme`, async () => {
      const { page, context, faults } = await openPage(browser, { theme, reducedMotion: true });
      await page.goto(`${server.url}/app/`);
      await page.getByRole("heading", { level: 1 }).waitFor();
      await expectAccessible(page);
      await chooseAgent(page, "demo");
      await ask(page, NORDVIK);
      await waitForEnd(page);
      await page.getByRole("button", { name: "Citation 6, not found" }).click();
      const image = page.getByRole("img", { name: "Page 2 of nordvik.pdf, passage marked" });
      await expect
        .poll(() => image.evaluate((img: HTMLImageElement) => img.complete), { timeout: 30_000 })
        .toBe(true);
      await expectAccessible(page);
      await page.getByRole("button", { name: "Export" }).click();
      await expectAccessible(page);
      const thread = page.url();
      for (const path of ["library", "search", "settings"]) {
        await page.goto(`${server.url}/app/${path}`);
        await page.getByRole("heading", { level: 1 }).waitFor();
        expect(await page.getByRole("heading", { level: 1 }).count()).toBe(1);
        await expectAccessible(page);
      }
      await page.goto(`${thread}/inspect`);
      await page.getByRole("heading", { level: 1 }).waitFor();
      await expectAccessible(page);
      expect(faults).toEqual([]);
      await context.close();
    });
  }

  it("is accessible on phones, with drawer and sheet open", async () => {
    const { page, context } = await openPage(browser, {
      width: 360,
      height: 740,
      isTouch: true,
      reducedMotion: true,
    });
    await page.goto(`${server.url}/app/`);
    await chooseAgent(page, "demo");
    await ask(page, NORDVIK);
    await waitForEnd(page);
    await expectAccessible(page);
    await page.getByRole("button", { name: "Citation 5, partly found" }).tap();
    await page.getByRole("complementary", { name: "Evidence" }).getByText("Page 2 of 3").waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Close evidence" }).tap();
    await page.getByRole("button", { name: "Open menu" }).tap();
    await page.getByRole("navigation", { name: "Threads" }).waitFor();
    await expectAccessible(page);
    await context.close();
  });

  it("fits into the window at 200 % zoom", async () => {
    const { page, context } = await openPage(browser, { width: 640, height: 400 });
    await page.goto(`${server.url}/app/`);
    await chooseAgent(page, "demo");
    await ask(page, NORDVIK);
    await waitForEnd(page);
    const overflow = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    expect(overflow).toBeLessThanOrEqual(0);
    await context.close();
  });

  it("puts no marker at the start of a line", async () => {
    const { page, context } = await openPage(browser);
    await page.goto(`${server.url}/app/`);
    await chooseAgent(page, "demo");
    await ask(page, NORDVIK);
    await waitForEnd(page);
    for (const width of [360, 420, 520, 640, 800]) {
      await page.setViewportSize({ width, height: 800 });
      const offsets = await page.locator("article [data-sign]").evaluateAll((signs) =>
        signs.map((sign) => {
          const marker = sign.closest("button")?.getBoundingClientRect();
          const text = sign.closest("p")?.getBoundingClientRect();
          return (marker?.left ?? 0) - (text?.left ?? 0);
        }),
      );
      expect(offsets).toHaveLength(7);
      expect(Math.min(...offsets), `at ${width} pixels`).toBeGreaterThan(8);
    }
    await context.close();
  });

  it("loads at most 180 KB of compressed script at first", async () => {
    const { page, context } = await openPage(browser);
    await page.goto(`${server.url}/app/`, { waitUntil: "networkidle" });
    const sizes = await page.evaluate(() =>
      performance
        .getEntriesByType("resource")
        .filter((entry) => entry.name.endsWith(".js"))
        .map((entry) => (entry as PerformanceResourceTiming).encodedBodySize),
    );
    const total = sizes.reduce((sum, size) => sum + size, 0);
    expect(total).toBeGreaterThan(0);
    expect(total).toBeLessThanOrEqual(FIRST_LOAD_BUDGET);
    await context.close();
  });

  it("shows an answer of 5,000 deltas completely", async () => {
    const { page, context, faults } = await openPage(browser);
    await page.goto(`${server.url}/app/`);
    await chooseAgent(page, "mock");
    await ask(page, "many");
    await page.getByText(`word${DELTAS}.`).waitFor();
    await waitForEnd(page);
    const words = await page.getByRole("article", { name: "mock" }).textContent();
    expect(words?.match(/word\d+/g)).toHaveLength(DELTAS);
    expect(faults).toEqual([]);
    await context.close();
  });

  it("keeps few messages of a long thread in the page", async () => {
    const messages = Array.from({ length: 2000 }, (_, index) => ({
      id: `m${index}`,
      role: index % 2 === 0 ? "user" : "assistant",
      content: index % 2 === 0 ? `Question ${index}` : `Answer ${index}`,
    }));
    const question = { id: "last", role: "user", content: "The last question" };
    await fetch(`${server.url}/agents/mock`, {
      method: "POST",
      body: JSON.stringify({ threadId: "long", runId: "r", messages: [...messages, question] }),
    }).then((response) => response.text());
    const { page, context } = await openPage(browser);
    await page.goto(`${server.url}/app/threads/long`);
    await page.getByText("Short answer.").waitFor();
    expect(await page.getByText("Short answer.").isVisible()).toBe(true);
    expect(await page.getByRole("article").count()).toBeLessThan(100);
    await page.getByRole("log").hover();
    for (let turn = 0; turn < 4; turn += 1) await page.mouse.wheel(0, -20_000);
    await expect.poll(() => page.getByRole("article").count()).toBeGreaterThan(60);
    await context.close();
  });
});
