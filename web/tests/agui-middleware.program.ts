import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openPage, startBrowser } from "../console/tests/browser.js";
import {
  installExample,
  type RunningProgram,
  serveExample,
  startPincite,
  startProgram,
} from "./programs.js";

const programs: RunningProgram[] = [];
let browser: Browser;
let url = "";
beforeAll(async () => {
  const folder = installExample("agui-middleware");
  const pincite = await startPincite("--samples");
  programs.push(pincite);
  const agent = await startProgram("node", ["mock-agent.mjs"], { cwd: folder, env: { PORT: "0" } });
  programs.push(agent);
  const page = await serveExample("agui-middleware", {
    PINCITE_URL: pincite.url,
    AGENT_URL: agent.url,
  });
  programs.push(page);
  url = page.url;
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  for (const program of programs) await program.stop();
});

describe("examples/agui-middleware", () => {
  it("shows verified markers for an agent without a gateway", async () => {
    const { page, faults } = await openPage(browser);
    await page.goto(url);
    await page.getByRole("button", { name: "Ask about the rent" }).click();
    await page.getByRole("button", { name: "Citation 1, verified" }).waitFor();
    await page.getByRole("button", { name: "Citation 2, not found" }).waitFor();
    const text = await page.locator("main").textContent();
    expect(text).toContain("The rent is 48,500 crowns per month [1]");
    expect(text).not.toContain("CITATION_DATA");
    expect(faults).toEqual([]);
  });
});
