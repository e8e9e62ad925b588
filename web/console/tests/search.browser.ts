import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openPage, startBrowser } from "./browser.js";
import { startServer, type TestServer, waitForLibrary } from "./server.js";

describe("search", () => {
  let browser: Browser;
  let server: TestServer;
  beforeAll(async () => {
    [browser, server] = await Promise.all([startBrowser(), startServer({}, ["--samples"])]);
    await waitForLibrary(server);
  });
  afterAll(async () => {
    await browser.close();
    await server.stop();
  });

  async function searchFor(words: string) {
    const watched = await openPage(browser);
    const { page } = watched;
    await page.goto(`${server.url}/app/search`);
    await page.getByRole("searchbox", { name: "Search documents" }).fill(words);
    await page.keyboard.press("Enter");
    return { ...watched, results: page.getByRole("list", { name: "Results" }) };
  }

  it("finds passages with highlighted words, and opens one at its place", async () => {
    const { page, context, faults, results } = await searchFor("granite quay");
    await results.getByRole("listitem").first().waitFor();
    await page.waitForURL(/q=granite/);
    const marked = await results.locator("mark").allTextContents();
    expect(marked.map((word) => word.toLowerCase())).toContain("quay");
    await results.getByRole("link", { name: "Nordvik: a short history" }).first().click();
    await page.getByRole("img", { name: /^Page \d of Nordvik.*passage marked$/ }).waitFor();
    await page.goBack();
    await results.getByRole("listitem").first().waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });

  it("explains the ranking, and keeps the query in the address", async () => {
    const { page, context, faults, results } = await searchFor("harbour");
    await page.getByRole("checkbox", { name: "Explain the ranking" }).check();
    await results.getByRole("table", { name: "Reasons for the rank" }).first().waitFor();
    await page.reload();
    await results.getByRole("table", { name: "Reasons for the rank" }).first().waitFor();
    await page.getByRole("combobox", { name: "Way of searching" }).selectOption("text");
    await page.waitForURL(/mode=text/);
    await results.getByRole("listitem").first().waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });

  it("says that nothing was found, and corrects a misspelled word", async () => {
    const { page, context } = await searchFor("zzzqqq");
    await page.getByText("No passage matches.").waitFor();
    await page.getByRole("searchbox", { name: "Search documents" }).fill("harbuor");
    await page.keyboard.press("Enter");
    await page.getByRole("list", { name: "Results" }).locator("mark").first().waitFor();
    await context.close();
  });

  it("takes the results along into a question", async () => {
    const { page, context, faults, results } = await searchFor("rent of the north quay");
    await results.getByRole("listitem").first().waitFor();
    await page.getByRole("button", { name: "Ask about these" }).click();
    const field = page.getByRole("textbox", { name: "Message" });
    await expect.poll(() => field.inputValue()).toBe("rent of the north quay");
    await page.getByRole("button", { name: "Send" }).click();
    await page.waitForURL(/\/threads\//);
    await page.getByRole("list", { name: "Attached documents" }).waitFor();
    await page
      .getByRole("article", { name: "reader" })
      .getByRole("button", { name: /^Citation 1,/ })
      .waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });
});
