import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { AxeBuilder } from "@axe-core/playwright";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { expect } from "vitest";

/** Starts Chromium without a window. */
export function startBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
}

/** Options of a page. */
export interface PageOptions {
  width?: number;
  height?: number;
  theme?: "light" | "dark";
  isTouch?: boolean;
  reducedMotion?: boolean;
}

/** Page that records what must not happen in normal use. */
export interface WatchedPage {
  page: Page;
  context: BrowserContext;
  /** Errors in the console, failed requests, error responses and uncaught exceptions. */
  faults: string[];
}

/** Opens a page in a context of its own. */
export async function openPage(browser: Browser, options: PageOptions = {}): Promise<WatchedPage> {
  const context = await browser.newContext({
    viewport: { width: options.width ?? 1440, height: options.height ?? 900 },
    colorScheme: options.theme ?? "light",
    hasTouch: options.isTouch ?? false,
    reducedMotion: options.reducedMotion ? "reduce" : "no-preference",
    acceptDownloads: true,
  });
  if (CONSOLE) await replaceConsole(context, CONSOLE);
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  return { page, context, faults: watch(page) };
}

/** Folder of a built console that replaces the one in the program, to test a change without building the program. */
const CONSOLE = process.env.PINCITE_CONSOLE;

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  css: "text/css",
  html: "text/html; charset=utf-8",
  js: "text/javascript",
  woff2: "font/woff2",
};

/** Answers requests for the console from a folder, with the headers of the program. */
async function replaceConsole(context: BrowserContext, folder: string): Promise<void> {
  await context.route("**/app/**", async (route) => {
    const url = new URL(route.request().url());
    if (url.pathname === "/app/api") return route.continue();
    const named = join(folder, url.pathname.slice("/app/".length));
    const file = existsSync(named) && statSync(named).isFile() ? named : join(folder, "index.html");
    const { headers } = await fetch(`${url.origin}/app/`);
    await route.fulfill({
      body: readFileSync(file),
      headers: {
        "Content-Security-Policy": headers.get("content-security-policy") ?? "",
        "Content-Type": MEDIA_TYPES[file.split(".").at(-1) ?? ""] ?? "application/octet-stream",
      },
    });
  });
}

/** Records faults of a page. */
export function watch(page: Page): string[] {
  const faults: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error") faults.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => faults.push(`exception: ${error.message}`));
  page.on("requestfailed", (request) =>
    faults.push(`failed: ${request.url()} ${request.failure()?.errorText}`),
  );
  page.on("response", (response) => {
    if (response.status() >= 400) faults.push(`${response.status()}: ${response.url()}`);
  });
  return faults;
}

/** Chooses the agent of a new thread. */
export async function chooseAgent(page: Page, name: string): Promise<void> {
  await page.getByRole("combobox", { name: "Agent" }).selectOption(name);
}

/** Asks a question on the open page. */
export async function ask(page: Page, question: string): Promise<void> {
  await page.getByRole("textbox", { name: "Message" }).fill(question);
  await page.getByRole("button", { name: "Send" }).click();
}

/** Waits until the run is over. */
export async function waitForEnd(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Stop" }).waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Send" }).waitFor();
}

/** Checks a page with axe and its default rules. */
export async function expectAccessible(page: Page): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  const found = violations.map(
    (violation) => `${violation.id}: ${violation.nodes.map((node) => node.html).join(" | ")}`,
  );
  expect(found).toEqual([]);
}
