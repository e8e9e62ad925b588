import type { Browser, Page } from "playwright-core";
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

/** Returns the paths of all pages besides the chat; the inspector of a thread is the last one. */
function pagesBesides(thread: string): string[] {
  return [
    "/app/library",
    "/app/library/nordvik",
    "/app/search?q=harbour&explain=true",
    "/app/settings",
    "/app/no-such-page",
    `${new URL(thread).pathname}/inspect`,
  ];
}

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
      for (const path of pagesBesides(page.url())) {
        await page.goto(`${server.url}${path}`, { waitUntil: "networkidle" });
        await page.getByRole("heading", { level: 1 }).waitFor();
        expect(await page.getByRole("heading", { level: 1 }).count()).toBe(1);
        await expectAccessible(page);
      }
      for (const view of ["State", "Timings", "Rules"]) {
        await page.getByRole("button", { name: view, exact: true }).click();
        await expectAccessible(page);
      }
      await page.goto(`${server.url}/app/library`, { waitUntil: "networkidle" });
      await page.getByRole("button", { name: "Add documents" }).click();
      await expectAccessible(page);
      await page.keyboard.press("Escape");
      await page.keyboard.press("?");
      await page.getByRole("dialog", { name: "Keyboard" }).waitFor();
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
    await page.keyboard.press("Escape");
    for (const path of pagesBesides(page.url())) {
      await page.goto(`${server.url}${path}`, { waitUntil: "networkidle" });
      await page.getByRole("heading", { level: 1 }).waitFor();
      await expectAccessible(page);
      expect(await overflow(page), path).toBeLessThanOrEqual(0);
    }
    await context.close();
  });

  /** Returns the number of pixels by which a page is wider than the window. */
  function overflow(page: Page): Promise<number> {
    return page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
  }

  it("fits into the window at 200 % zoom", async () => {
    const { page, context } = await openPage(browser, { width: 640, height: 400 });
    await page.goto(`${server.url}/app/`);
    await chooseAgent(page, "demo");
    await ask(page, NORDVIK);
    await waitForEnd(page);
    expect(await overflow(page)).toBeLessThanOrEqual(0);
    for (const path of pagesBesides(page.url())) {
      await page.goto(`${server.url}${path}`, { waitUntil: "networkidle" });
      await page.getByRole("heading", { level: 1 }).waitFor();
      expect(await overflow(page), path).toBeLessThanOrEqual(0);
    }
    await context.close();
  });

  it("moves the focus into what opens, and back when it closes", async () => {
    const { page, context } = await openPage(browser);
    await page.goto(`${server.url}/app/`);
    await chooseAgent(page, "demo");
    await ask(page, NORDVIK);
    await waitForEnd(page);
    const focused = () =>
      page.evaluate(() => {
        const element = document.activeElement;
        return element?.getAttribute("aria-label") ?? element?.textContent;
      });
    const marker = page.getByRole("button", { name: "Citation 2, verified" });
    await marker.focus();
    await page.keyboard.press("Enter");
    const evidence = page.getByRole("complementary", { name: "Evidence" });
    await evidence.waitFor();
    await page.keyboard.press("k");
    await evidence.getByText("Citation 1 of 7").waitFor();
    await page.keyboard.press("j");
    await evidence.getByText("Citation 2 of 7").waitFor();
    await page.keyboard.press("Escape");
    await evidence.waitFor({ state: "detached" });
    await expect.poll(focused).toBe("Citation 2, verified");
    await page.getByRole("button", { name: "Export" }).focus();
    await page.keyboard.press("Enter");
    await expect.poll(focused).toBe("Markdown with footnotes");
    await page.keyboard.press("ArrowDown");
    await expect.poll(focused).toBe("Web page with evidence");
    await page.keyboard.press("Escape");
    await expect.poll(focused).toBe("Export");
    await context.close();
  });

  it("announces answers and results politely, and does not animate with reduced motion", async () => {
    const { page, context } = await openPage(browser, { reducedMotion: true });
    await page.goto(`${server.url}/app/`);
    await chooseAgent(page, "demo");
    await ask(page, NORDVIK);
    await waitForEnd(page);
    const log = page.getByRole("log", { name: "Conversation" });
    expect(await log.getAttribute("aria-live")).not.toBe("assertive");
    expect(await page.getByRole("article", { name: "demo" }).getAttribute("aria-busy")).toBe(
      "false",
    );
    await page.getByRole("button", { name: "Citation 1, verified" }).click();
    await page.getByRole("complementary", { name: "Evidence" }).waitFor();
    const moving = await page.evaluate(
      () =>
        document.getAnimations().filter((animation) => animation.playState === "running").length,
    );
    expect(moving).toBe(0);
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
    const articles = () => page.getByRole("article").count();
    expect(await articles()).toBeLessThan(60);
    const scroller = page.getByRole("log").locator("xpath=ancestor::*[2]");
    await scroller.evaluate((element) => element.scrollTo({ top: 0 }));
    await page.getByText("Question 0", { exact: true }).waitFor();
    expect(await articles()).toBeLessThan(60);
    await page.getByText("Answer 1", { exact: true }).waitFor();
    await page.getByRole("button", { name: "More below" }).click();
    await expect.poll(() => page.getByText("Short answer.").isVisible()).toBe(true);
    expect(await articles()).toBeLessThan(60);
    await ask(page, "One more");
    await expect.poll(() => page.getByText("Short answer.").count()).toBe(2);
    await waitForEnd(page);
    const isAtEnd = () =>
      scroller.evaluate((it) => it.scrollHeight - it.clientHeight - it.scrollTop < 50);
    await expect.poll(isAtEnd).toBe(true);
    await context.close();
  });
});
