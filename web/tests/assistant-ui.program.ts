import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openPage, startBrowser } from "../console/tests/browser.js";
import { type RunningProgram, serveExample, startPincite } from "./programs.js";

const programs: RunningProgram[] = [];
let browser: Browser;
let url = "";
beforeAll(async () => {
  const pincite = await startPincite("--samples");
  programs.push(pincite);
  const page = await serveExample("assistant-ui", { PINCITE_URL: pincite.url });
  programs.push(page);
  url = page.url;
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  for (const program of programs) await program.stop();
});

describe("examples/assistant-ui", () => {
  it("shows markers and evidence inside of messages", async () => {
    const { page, faults } = await openPage(browser);
    await page.goto(url);
    await page
      .getByRole("textbox", { name: "Message" })
      .fill("How much is the rent of the north quay?");
    await page.getByRole("button", { name: "Send" }).click();
    const marker = page.getByRole("button", { name: "Citation 1, verified" });
    await marker.click();
    const dialog = page.getByRole("dialog", { name: "Evidence of citation 1" });
    await dialog.waitFor();
    expect(await dialog.textContent()).toContain("quay-lease.pdf, page 1");
    const image = dialog.getByRole("img");
    await image.waitFor();
    const isShown = image.evaluate((element) => (element as HTMLImageElement).decode());
    await expect(isShown).resolves.toBeUndefined();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await page.getByText(/\d+ of \d+ quotes verified/).waitFor();
    expect(faults).toEqual([]);
  });
});
