import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AgentScript, Gate, startAgent, type TestAgent } from "./agent.js";
import { ask, chooseAgent, openPage, startBrowser, waitForEnd } from "./browser.js";
import { startServer, type TestServer, waitForLibrary } from "./server.js";

type Role = Parameters<Page["getByRole"]>[0];

const gate = new Gate();
const script: AgentScript = async (run) => {
  await run.write(
    (async function* () {
      yield "Working. ";
      await gate.wait();
      yield "Done.";
    })(),
  );
  return undefined;
};

/** Names that other tests and assistive technology rely on. */
describe("accessible names", () => {
  let browser: Browser;
  let server: TestServer;
  let agent: TestAgent;
  beforeAll(async () => {
    agent = await startAgent(script);
    [browser, server] = await Promise.all([
      startBrowser(),
      startServer({ mock: agent.url }, ["--samples"]),
    ]);
    await waitForLibrary(server);
  });
  afterAll(async () => {
    await browser.close();
    await server.stop();
    await agent.stop();
  });

  /** Expects that exactly one element of the role has the name, and that no other one contains it. */
  async function expectOnce(page: Page, role: Role, name: string): Promise<void> {
    await page.getByRole(role, { name, exact: true }).waitFor();
    expect(await page.getByRole(role, { name, exact: true }).count(), `${role} ${name}`).toBe(1);
    expect(await page.getByRole(role, { name }).count(), `${role} …${name}…`).toBe(1);
  }

  it("of the chat page are unique, also while an answer streams", async () => {
    const { page, context } = await openPage(browser);
    await page.goto(`${server.url}/app/`);
    await expectOnce(page, "textbox", "Message");
    await expectOnce(page, "button", "Send");
    await expectOnce(page, "button", "Attach files");
    await expectOnce(page, "navigation", "Threads");
    await expectOnce(page, "button", "New thread");
    await chooseAgent(page, "mock");
    await ask(page, "Work");
    await page.waitForURL(/\/app\/threads\/[^/]+$/);
    await page.getByText("Working.").waitFor();
    await expectOnce(page, "button", "Stop");
    await expectOnce(page, "log", "Conversation");
    await expectOnce(page, "article", "You");
    await expectOnce(page, "article", "mock");
    gate.open();
    await waitForEnd(page);
    await expectOnce(page, "button", "Send");
    const id = new URL(page.url()).pathname.split("/").at(-1);
    const links = page.getByRole("navigation", { name: "Threads" }).getByRole("link");
    const addresses = await links.evaluateAll((all) => all.map((a) => a.getAttribute("href")));
    expect(addresses.filter((address) => address === `/app/threads/${id}`)).toHaveLength(1);
    await context.close();
  });

  it("of citations and evidence tell number, state and page", async () => {
    const { page, context } = await openPage(browser);
    await page.goto(`${server.url}/app/`);
    await chooseAgent(page, "demo");
    await ask(page, "What happened to the harbour of Nordvik?");
    await waitForEnd(page);
    const states = ["verified", "verified", "found elsewhere", "verified", "partly found"];
    for (const [index, state] of [...states, "not found", "not found"].entries()) {
      await expectOnce(page, "button", `Citation ${index + 1}, ${state}`);
    }
    await page.getByRole("button", { name: "Citation 6, not found" }).click();
    await expectOnce(page, "complementary", "Evidence");
    await expectOnce(page, "img", "Page 2 of nordvik.pdf, passage marked");
    const evidence = page.getByRole("complementary", { name: "Evidence" });
    await evidence.getByText("Not found", { exact: false }).first().waitFor();
    await page.keyboard.press("Escape");
    await evidence.waitFor({ state: "detached" });
    await context.close();
  });

  it("of library and search are unique", async () => {
    const { page, context } = await openPage(browser);
    await page.goto(`${server.url}/app/library`);
    await expectOnce(page, "button", "Add documents");
    await expectOnce(page, "table", "Documents");
    await page.goto(`${server.url}/app/search?q=harbour`);
    await expectOnce(page, "searchbox", "Search documents");
    await expectOnce(page, "list", "Results");
    await context.close();
  });

  it("belong to landmarks at the top level, and every page has one heading of level 1", async () => {
    const { page, context, faults } = await openPage(browser);
    for (const path of ["", "library", "library/nordvik", "search", "settings"]) {
      await page.goto(`${server.url}/app/${path}`, { waitUntil: "networkidle" });
      expect(await page.getByRole("heading", { level: 1 }).count(), path).toBe(1);
      const nested = await page
        .locator("main main, main aside, main header[role=banner], nav main")
        .count();
      expect(nested, path).toBe(0);
    }
    expect(faults).toEqual([]);
    await context.close();
  });
});
