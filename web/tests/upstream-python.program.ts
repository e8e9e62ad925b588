import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ask, chooseAgent, openPage, startBrowser, waitForEnd } from "../console/tests/browser.js";
import { type RunningProgram, startPincite, startProgram } from "./programs.js";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const EXAMPLE = join(ROOT, "examples/upstream-python");
const programs: RunningProgram[] = [];
let browser: Browser;
let pincite: RunningProgram;
beforeAll(async () => {
  const python = join(ROOT, "target/python/bin/python");
  const agent = await startProgram(python, ["agent.py"], { cwd: EXAMPLE, env: { PORT: "0" } });
  programs.push(agent);
  pincite = await startPincite("--upstream", `harbour=${agent.url}/`);
  programs.push(pincite);
  const body = new FormData();
  const text = readFileSync(join(EXAMPLE, "documents/harbour.md"));
  body.set("file", new Blob([text]), "harbour.md");
  const added = await fetch(`${pincite.url}/documents`, { method: "POST", body });
  expect(added.ok).toBe(true);
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  for (const program of programs.reverse()) await program.stop();
});

describe("examples/upstream-python", () => {
  it("shows verified markers of a Python agent in the console", async () => {
    const { page, faults } = await openPage(browser);
    await page.goto(`${pincite.url}/app/`);
    await chooseAgent(page, "harbour");
    await ask(page, "When was the north pier closed for repairs?");
    await waitForEnd(page);
    const marker = page.getByRole("button", { name: "Citation 1, verified" });
    await marker.click();
    const evidence = page.getByRole("complementary", { name: "Evidence" });
    await evidence.getByText("harbour.md").first().waitFor();
    const text = await page.getByRole("article", { name: "harbour" }).textContent();
    expect(text).toContain("closed for repairs on 4 March 2021");
    expect(text).not.toContain("CITATION_DATA");
    expect(faults).toEqual([]);
  });
});
