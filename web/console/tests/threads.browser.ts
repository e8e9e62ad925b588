import { readFileSync } from "node:fs";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ask, chooseAgent, openPage, startBrowser, waitForEnd } from "./browser.js";
import { runCommand, startServer, type TestServer } from "./server.js";

const NORDVIK = "What happened to the harbour of Nordvik?";

describe("threads", () => {
  let browser: Browser;
  let server: TestServer;
  beforeAll(async () => {
    [browser, server] = await Promise.all([startBrowser(), startServer()]);
  });
  afterAll(async () => {
    await browser.close();
    await server.stop();
  });

  async function askDemo(page: Page, question = NORDVIK): Promise<void> {
    await page.goto(`${server.url}/app/`);
    await chooseAgent(page, "demo");
    await ask(page, question);
    await page.waitForURL(/\/threads\//);
    await waitForEnd(page);
  }

  it("can be renamed, archived, and deleted with undo", async () => {
    const { page, context, faults } = await openPage(browser);
    await askDemo(page, "Which boats use the harbour today?");
    const threads = page.getByRole("navigation", { name: "Threads" });
    const choose = async (action: string) => {
      await threads.getByRole("button", { name: "Thread actions" }).first().click();
      await page.getByRole("menuitem", { name: action }).click();
    };
    await choose("Rename");
    await threads.getByRole("textbox", { name: "Title" }).fill("Boats");
    await page.keyboard.press("Enter");
    await threads.getByRole("link", { name: "Boats" }).waitFor();
    await page.getByRole("heading", { level: 1, name: "Boats" }).waitFor();

    await choose("Archive");
    await threads.getByRole("link", { name: "Boats" }).waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Undo" }).click();
    await threads.getByRole("link", { name: "Boats" }).waitFor();

    await choose("Delete");
    await threads.getByRole("link", { name: "Boats" }).waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Undo" }).click();
    await threads.getByRole("link", { name: "Boats" }).waitFor();
    await page.reload();
    await threads.getByRole("link", { name: "Boats" }).waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });

  it("are exported as Markdown, as a web page with evidence, and as JSON", async () => {
    const { page, context } = await openPage(browser);
    await askDemo(page);
    const save = async (format: string) => {
      await page.getByRole("button", { name: "Export" }).click();
      const download = page.waitForEvent("download");
      await page.getByRole("menuitem", { name: format }).click();
      const file = await download;
      return { name: file.suggestedFilename(), text: readFileSync(await file.path(), "utf8") };
    };
    const markdown = await save("Markdown");
    expect(markdown.name).toBe("what-happened-to-the-harbour-of-nordvik.md");
    expect(markdown.text).toContain("[^2-1]: ✓ verified · “The first quay of Nordvik");
    expect(markdown.text).toContain("[^2-6]: ✗ not found");
    const html = await save("Web page");
    expect(html.text).toContain("<del>");
    expect(html.text).toContain('src="data:image/webp;base64,');
    expect(html.text).not.toContain("<script");
    const json = JSON.parse((await save("JSON")).text) as { messages: { citations: unknown[] }[] };
    expect(json.messages[1]?.citations).toHaveLength(7);
    await context.close();
  });

  it("let one answer be saved with its footnotes", async () => {
    const { page, context } = await openPage(browser);
    await askDemo(page);
    await page.getByRole("textbox", { name: "Message" }).fill("Which boats use it today?");
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByRole("button", { name: "Save answer" }).nth(1).waitFor();
    await waitForEnd(page);
    await page.getByRole("button", { name: "Save answer" }).nth(1).click();
    const download = page.waitForEvent("download");
    await page.getByRole("menuitem", { name: "Markdown with footnotes" }).click();
    const text = readFileSync(await (await download).path(), "utf8");
    expect(text).toContain("Which boats use it today?");
    expect(text).toContain("[^2-1]: ✓ verified");
    // The question of the other answer is in the title only.
    expect(text.split(NORDVIK)).toHaveLength(2);
    await context.close();
  });

  it("print without controls", async () => {
    const { page, context } = await openPage(browser);
    await askDemo(page);
    await page.emulateMedia({ media: "print" });
    expect(await page.getByRole("textbox", { name: "Message" }).isVisible()).toBe(false);
    expect(await page.getByRole("navigation", { name: "Threads" }).isVisible()).toBe(false);
    expect(await page.getByRole("article", { name: "demo" }).isVisible()).toBe(true);
    await context.close();
  });

  it("are reached through a drawer on phones, with evidence as a sheet", async () => {
    const { page, context, faults } = await openPage(browser, {
      width: 360,
      height: 740,
      isTouch: true,
    });
    await askDemo(page);
    expect(await page.getByRole("navigation", { name: "Threads" }).isVisible()).toBe(false);
    await page.getByRole("button", { name: "Open menu" }).click();
    await page.getByRole("navigation", { name: "Threads" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Citation 6, not found" }).tap();
    const evidence = page.getByRole("complementary", { name: "Evidence" });
    await evidence.waitFor();
    const box = await evidence.boundingBox();
    expect(box?.width).toBe(360);
    expect(Math.round(((box?.height ?? 0) / 740) * 100)).toBe(60);
    await page.getByRole("button", { name: "Enlarge panel" }).tap();
    await expect.poll(async () => (await evidence.boundingBox())?.height).toBe(740);
    expect(faults).toEqual([]);
    await context.close();
  });

  it("work with the keyboard alone", async () => {
    const { page, context } = await openPage(browser);
    await page.goto(`${server.url}/app/`);
    await chooseAgent(page, "demo");
    await page.getByRole("textbox", { name: "Message" }).focus();
    await page.keyboard.type(NORDVIK);
    await page.keyboard.press("Enter");
    const marker = page.getByRole("button", { name: "Citation 1, verified" });
    await marker.waitFor();
    await waitForEnd(page);
    const focused = () =>
      page.evaluate(() => document.activeElement?.getAttribute("aria-label") ?? "");
    for (
      let presses = 0;
      presses < 60 && !(await focused()).startsWith("Citation 1");
      presses += 1
    ) {
      await page.keyboard.press("Shift+Tab");
    }
    expect(await focused()).toBe("Citation 1, verified");
    await page.keyboard.press("Enter");
    await page.getByRole("complementary", { name: "Evidence" }).waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keyboard" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog", { name: "Keyboard" }).waitFor({ state: "hidden" });
    await context.close();
  });

  it("need a key once the server does, until the person signs out", async () => {
    const locked = await startServer();
    const printed = await runCommand([
      "keys",
      "create",
      "--data",
      locked.data,
      "--scope",
      "read",
      "--scope",
      "write",
      "ada",
    ]);
    const key = /sk-dc-[\w-]+/.exec(printed)?.[0] ?? "";
    const { page, context } = await openPage(browser);
    await page.goto(`${locked.url}/app/`);
    await page.getByRole("heading", { name: "Sign in to Pincite" }).waitFor();
    await page.getByLabel("Access key").fill("sk-dc-wrong");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("alert").waitFor();
    await page.getByLabel("Access key").fill(key);
    await page.getByRole("button", { name: "Sign in" }).click();
    await chooseAgent(page, "demo");
    await ask(page, NORDVIK);
    await page.getByRole("button", { name: "Citation 1, verified" }).click();
    await page.getByRole("img", { name: "Page 1 of nordvik.pdf, passage marked" }).waitFor();
    await page.reload();
    await page.getByRole("button", { name: "Citation 1, verified" }).waitFor();
    const cookies = await context.cookies();
    expect(cookies.map(({ httpOnly, sameSite }) => ({ httpOnly, sameSite }))).toEqual([
      { httpOnly: true, sameSite: "Strict" },
    ]);
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in to Pincite" }).waitFor();
    await context.close();
    await locked.stop();
  });
});
