import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, it } from "vitest";
import { ask, chooseAgent, openPage, startBrowser, waitForEnd } from "./browser.js";
import { startServer, type TestServer, waitForLibrary } from "./server.js";

const FOLDER = fileURLToPath(new URL("../../../docs/images/console/", import.meta.url));
const SIZES = [
  { width: 360, height: 740 },
  { width: 768, height: 1024 },
  { width: 1440, height: 900 },
];
const QUESTIONS = [
  ["reader", "Why did storm surges become more frequent?"],
  ["reader", "How much is the rent of the north quay?"],
  ["demo", "What happened to the harbour of Nordvik?"],
] as const;

describe("pictures of the console", () => {
  let browser: Browser;
  let server: TestServer;
  let thread = "";
  let converter: Page;
  beforeAll(async () => {
    rmSync(FOLDER, { recursive: true, force: true });
    mkdirSync(FOLDER, { recursive: true });
    [browser, server] = await Promise.all([startBrowser(), startServer({}, ["--samples"])]);
    await waitForLibrary(server);
    converter = await browser.newPage();
    const { page, context } = await openPage(browser);
    for (const [agent, question] of QUESTIONS) {
      await page.goto(`${server.url}/app/`);
      await chooseAgent(page, agent);
      await ask(page, question);
      await page.waitForURL(/\/threads\//);
      await waitForEnd(page);
    }
    thread = new URL(page.url()).pathname;
    await context.close();
  });
  afterAll(async () => {
    await browser.close();
    await server.stop();
  });

  /** Pages with what is done on them before they are drawn. */
  const pages: Record<string, { path: () => string; prepare?: (page: Page) => Promise<void> }> = {
    start: { path: () => "/app/" },
    thread: { path: () => thread },
    evidence: { path: () => thread, prepare: openEvidence },
    library: { path: () => "/app/library" },
    document: { path: () => "/app/library/nordvik?page=2" },
    search: { path: () => "/app/search?q=harbour" },
    settings: { path: () => "/app/settings" },
    inspector: { path: () => `${thread}/inspect` },
  };

  for (const size of SIZES) {
    for (const theme of ["light", "dark"] as const) {
      it(`${size.width} ${theme}`, async () => {
        const { page, context } = await openPage(browser, { ...size, theme, reducedMotion: true });
        for (const [name, { path, prepare }] of Object.entries(pages)) {
          await page.goto(`${server.url}${path()}`, { waitUntil: "networkidle" });
          await prepare?.(page);
          const image = await asWebp(await page.screenshot());
          writeFileSync(`${FOLDER}${name}-${size.width}-${theme}.webp`, image);
        }
        await context.close();
      });
    }
  }

  async function openEvidence(page: Page): Promise<void> {
    await page.getByRole("button", { name: "Citation 6, not found" }).click();
    const image = page.getByRole("img", { name: /passage marked/ });
    await image.waitFor();
    await image.evaluate((element: HTMLImageElement) => element.decode());
  }

  /** Converts a picture to WebP, which has a third of the size. */
  async function asWebp(png: Buffer): Promise<Buffer> {
    const address = await converter.evaluate(async (base64) => {
      const image = new Image();
      image.src = `data:image/png;base64,${base64}`;
      await image.decode();
      const canvas = document.createElement("canvas");
      [canvas.width, canvas.height] = [image.width, image.height];
      canvas.getContext("2d")?.drawImage(image, 0, 0);
      return canvas.toDataURL("image/webp", 0.9);
    }, png.toString("base64"));
    return Buffer.from(address.slice(address.indexOf(",") + 1), "base64");
  }
});
