import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, it } from "vitest";
import { ask, chooseAgent, openPage, startBrowser, waitForEnd } from "./browser.js";
import { startServer, type TestServer } from "./server.js";

const FOLDER = fileURLToPath(new URL("../../../docs/images/console/", import.meta.url));
const SIZES = [
  { width: 360, height: 740 },
  { width: 768, height: 1024 },
  { width: 1440, height: 900 },
];
const QUESTIONS = [
  "How high was the highest water ever measured?",
  "Which boats use the harbour today?",
  "What happened to the harbour of Nordvik?",
];

describe("pictures of the console", () => {
  let browser: Browser;
  let server: TestServer;
  let thread = "";
  beforeAll(async () => {
    mkdirSync(FOLDER, { recursive: true });
    [browser, server] = await Promise.all([startBrowser(), startServer()]);
    const { page, context } = await openPage(browser);
    for (const question of QUESTIONS) {
      await page.goto(`${server.url}/app/`);
      await chooseAgent(page, "demo");
      await ask(page, question);
      await page.waitForURL(/\/threads\//);
      await waitForEnd(page);
    }
    thread = page.url();
    await context.close();
  });
  afterAll(async () => {
    await browser.close();
    await server.stop();
  });

  for (const size of SIZES) {
    for (const theme of ["light", "dark"] as const) {
      it(`${size.width} ${theme}`, async () => {
        const { page, context } = await openPage(browser, { ...size, theme });
        const save = (name: string) =>
          page.screenshot({ path: `${FOLDER}${name}-${size.width}-${theme}.png` });
        await page.goto(`${server.url}/app/`, { waitUntil: "networkidle" });
        await save("start");
        await page.goto(thread, { waitUntil: "networkidle" });
        await save("thread");
        await page.getByRole("button", { name: "Citation 6, not found" }).click();
        await showPageImage(page);
        await save("evidence");
        await context.close();
      });
    }
  }
});

async function showPageImage(page: Page): Promise<void> {
  const image = page.getByRole("img", { name: /passage marked/ });
  await image.waitFor();
  await image.evaluate((element: HTMLImageElement) => element.decode());
  await page.waitForTimeout(300);
}
