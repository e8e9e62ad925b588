import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startAgent, type TestAgent } from "./agent.js";
import { ask, chooseAgent, openPage, startBrowser, waitForEnd } from "./browser.js";
import { startServer, type TestServer } from "./server.js";

describe("settings", () => {
  let browser: Browser;
  let server: TestServer;
  let agent: TestAgent;
  beforeAll(async () => {
    agent = await startAgent(async (run) => {
      run.say("Hello from the new agent.");
      return undefined;
    });
    [browser, server] = await Promise.all([startBrowser(), startServer({ fixed: agent.url })]);
  });
  afterAll(async () => {
    await browser.close();
    await server.stop();
    await agent.stop();
  });

  async function openSettings() {
    const watched = await openPage(browser);
    await watched.page.goto(`${server.url}/app/settings`);
    await agents(watched.page).getByRole("row", { name: /^demo/ }).waitFor();
    return watched;
  }
  const agents = (page: Page) => page.getByRole("table", { name: "Agents" });

  async function addAgent(page: Page, name: string, url: string): Promise<void> {
    const form = page.getByRole("form", { name: "Add an agent" });
    await form.getByRole("textbox", { name: "Name" }).fill(name);
    await form.getByRole("textbox", { name: "Address of the AG-UI agent" }).fill(url);
    await form.getByRole("button", { name: "Add and test" }).click();
  }

  it("adds an upstream, tests it, keeps it over a restart, and removes it", async () => {
    const { page, context } = await openSettings();
    await addAgent(page, "second", agent.url);
    await agents(page).getByText("speaks AG-UI").waitFor();
    await server.crashAndRestart();
    await page.goto(`${server.url}/app/`);
    await chooseAgent(page, "second");
    await ask(page, "Hello");
    await page.getByText("Hello from the new agent.").waitFor();
    await waitForEnd(page);
    await page.goto(`${server.url}/app/settings`);
    await page.getByRole("button", { name: "Remove second" }).click();
    await agents(page)
      .getByRole("row", { name: /^second/ })
      .waitFor({ state: "detached" });
    await context.close();
  });

  it("says why an upstream cannot be used, and that the configuration wins", async () => {
    const { page, context } = await openSettings();
    await addAgent(page, "dead", "http://127.0.0.1:1/");
    await agents(page)
      .getByText(/start it, or correct its url/i)
      .waitFor();
    await page.getByRole("button", { name: "Remove dead" }).click();
    await addAgent(page, "fixed", agent.url);
    await page.getByRole("alert").getByText("is defined in the configuration").waitFor();
    expect(await page.getByRole("button", { name: "Remove fixed" }).count()).toBe(0);
    await context.close();
  });

  it("shows models, keys of providers, projections and storage", async () => {
    const { page, context, faults } = await openSettings();
    await page.getByText("No model is configured").waitFor();
    const providers = page.getByRole("table", { name: "Keys of model providers" });
    await providers.getByText("ANTHROPIC_API_KEY").waitFor();
    const forms = page.getByRole("table", { name: "Forms of citations" });
    expect(await forms.getByRole("row").count()).toBe(4);
    const storage = page.getByRole("table", { name: "Storage" });
    await storage.getByRole("row", { name: /^Together/ }).waitFor();
    expect(await storage.textContent()).toContain(server.data);
    expect(faults).toEqual([]);
    await context.close();
  });

  it("remembers theme and language", async () => {
    const { page, context, faults } = await openSettings();
    await page.getByRole("radio", { name: "Dark" }).check();
    const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
    await expect.poll(theme).toBe("dark");
    await page.getByRole("combobox", { name: "Dates and numbers" }).selectOption("de-DE");
    await page.getByText("1.234.567,89").waitFor();
    await page.waitForLoadState("networkidle");
    await page.reload();
    await page.getByText("1.234.567,89").waitFor();
    expect(await theme()).toBe("dark");
    expect(await paper()).not.toBe("rgb(250, 247, 242)");
    await page.getByRole("combobox", { name: "Dates and numbers" }).selectOption("en-US");
    await page.getByText("1,234,567.89").waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });

  it("creates the first key, signs in with it, and revokes another one", async () => {
    const open = await startServer();
    const { page, context } = await openPage(browser);
    await page.goto(`${open.url}/app/settings`);
    const form = page.getByRole("form", { name: "Create an access key" });
    await form.getByRole("textbox", { name: "Name of the key" }).fill("first");
    await form.getByRole("button", { name: "Create key" }).click();
    await page.getByText(/^sk-dc-/).waitFor();
    await page.getByText("Signed in as local").waitFor();
    expect((await fetch(`${open.url}/agents`)).status).toBe(401);
    await form.getByRole("textbox", { name: "Name of the key" }).fill("guest");
    await form.getByRole("combobox", { name: "May" }).selectOption("read");
    await form.getByRole("checkbox", { name: "Shares your documents and threads" }).uncheck();
    await form.getByRole("button", { name: "Create key" }).click();
    const keys = page.getByRole("table", { name: "Access keys" });
    const guest = keys.getByRole("row", { name: /^guest guest read valid/ });
    await guest.waitFor();
    await guest.getByRole("button", { name: "Revoke guest" }).click();
    await keys.getByRole("row", { name: /^guest guest read revoked/ }).waitFor();
    await page.getByRole("button", { name: "End session" }).click();
    await page.getByRole("heading", { name: "Sign in to Pincite" }).waitFor();
    await context.close();
    await open.stop();
  });
});
