import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectAccessible, openPage, startBrowser } from "./browser.js";
import { startServer, type TestServer } from "./server.js";

let server: TestServer;
let browser: Browser;
beforeAll(async () => {
  server = await startServer();
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

describe("gallery", () => {
  it("shows every part without faults in both themes", async () => {
    for (const theme of ["light", "dark"] as const) {
      const { page, context, faults } = await openPage(browser, { theme });
      await page.goto(`${server.url}/app/gallery`);
      await page.getByRole("heading", { name: "Gallery" }).waitFor();
      expect(await page.locator('section[aria-labelledby^="part-"]').count()).toBe(17);
      await expectAccessible(page);
      expect(faults).toEqual([]);
      await context.close();
    }
  });

  it("opens evidence with the keyboard and returns the focus", async () => {
    const { page, context } = await openPage(browser);
    await page.goto(`${server.url}/app/gallery/EvidencePopover`);
    const marker = page.getByRole("button", { name: "Citation 1, verified" });
    await marker.focus();
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: "Evidence of citation 1" });
    await dialog.waitFor();
    expect(await dialog.textContent()).toContain("quay-lease.pdf, page 1");
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    expect(await marker.evaluate((element) => element === document.activeElement)).toBe(true);
    await context.close();
  });

  it("streams an answer and sends a message", async () => {
    const { page, context } = await openPage(browser);
    await page.goto(`${server.url}/app/gallery/ResponseStream`);
    await page.getByRole("button", { name: "Stream again" }).click();
    await page.getByText("by a law of 1931").waitFor();
    await page.goto(`${server.url}/app/gallery/PromptInput`);
    await page.getByRole("textbox", { name: "Sample message" }).fill("When?");
    await page.keyboard.press("Enter");
    await page.getByText("Sent: When?").waitFor();
    await context.close();
  });
});
