import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ask, chooseAgent, openPage, startBrowser, waitForEnd } from "./browser.js";
import { startServer, type TestServer } from "./server.js";

/** File name that would do harm as HTML, and whose letters a bidirectional override would reorder. */
const HOSTILE_NAME = '<img src=x onerror="window.harmed=1">\u202Efdp.md';

describe("library", () => {
  let browser: Browser;
  let server: TestServer;
  let folder = "";
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "pincite-files-"));
    writeFileSync(join(folder, "tide.md"), "# Tides\n\nHigh tide is at noon.\n");
    writeFileSync(join(folder, "gates.txt"), "The gates open at eleven.\n");
    [browser, server] = await Promise.all([startBrowser(), startServer({}, ["--samples"])]);
  });
  afterAll(async () => {
    await browser.close();
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const table = (page: Page) => page.getByRole("table", { name: "Documents" });
  const row = (page: Page, name: string) => table(page).getByRole("row", { name });

  async function openLibrary() {
    const watched = await openPage(browser);
    await watched.page.goto(`${server.url}/app/library`);
    await row(watched.page, "Nordvik: a short history of a harbour").waitFor();
    return watched;
  }

  async function documentNames(): Promise<string[]> {
    const response = await fetch(`${server.url}/documents`);
    const { items } = (await response.json()) as { items: { filename: string }[] };
    return items.map((item) => item.filename);
  }

  /** Drops files on the page as a person would. */
  async function drop(page: Page, files: { name: string; text: string }[]): Promise<void> {
    const transfer = await page.evaluateHandle((dropped) => {
      const data = new DataTransfer();
      for (const { name, text } of dropped) data.items.add(new File([text], name));
      return data;
    }, files);
    for (const type of ["dragover", "drop"]) {
      await page.dispatchEvent("main", type, { dataTransfer: transfer });
    }
  }

  it("lists documents with state, pages and size, filtered and sorted", async () => {
    const { page, context, faults } = await openLibrary();
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("Library");
    const nordvik = row(page, "Nordvik: a short history of a harbour");
    expect(await nordvik.getByRole("cell").nth(0).textContent()).toBe("Ready");
    expect(await nordvik.getByRole("cell").nth(1).textContent()).toBe("3");
    await page.getByRole("searchbox", { name: "Filter by name" }).fill("storm");
    await expect.poll(() => table(page).getByRole("row").count()).toBe(2);
    await page.getByRole("searchbox", { name: "Filter by name" }).fill("no such name");
    await page.getByText("No document matches this filter.").waitFor();
    await page.getByRole("searchbox", { name: "Filter by name" }).fill("");
    await page.getByRole("button", { name: "Name" }).click();
    const first = () => table(page).getByRole("row").nth(1).getByRole("link").textContent();
    await expect.poll(first).toBe("Der Leuchtturm von Lunde");
    await page.getByRole("button", { name: "Name" }).click();
    await expect.poll(first).not.toBe("Der Leuchtturm von Lunde");
    expect(faults).toEqual([]);
    await context.close();
  });

  it("adds documents by picker, folder and drop, and says why one is refused", async () => {
    const { page, context } = await openLibrary();
    await page.getByRole("button", { name: "Add documents" }).click();
    const dialog = page.getByRole("dialog", { name: "Choose what to add" });
    const picker = page.waitForEvent("filechooser");
    await dialog.getByRole("button", { name: "Files" }).click();
    await (await picker).setFiles([join(folder, "gates.txt")]);
    await row(page, "gates.txt").getByText("Ready").waitFor();

    await page.getByRole("button", { name: "Add documents" }).click();
    const folderPicker = page.waitForEvent("filechooser");
    await dialog.getByRole("button", { name: "Folder" }).click();
    await (await folderPicker).setFiles(folder);
    await row(page, "tide.md").getByText("Ready").waitFor();

    await drop(page, [
      { name: "dropped.md", text: "# Dropped\n\nThis came through the air.\n" },
      { name: HOSTILE_NAME, text: "Nothing to see.\n" },
    ]);
    await row(page, "dropped.md").getByText("Ready").waitFor();
    await row(page, "window.harmed").getByText("Ready").waitFor();
    expect(await page.evaluate(() => "harmed" in window)).toBe(false);
    expect(await table(page).locator("img").count()).toBe(0);

    await page.getByRole("button", { name: "Add documents" }).click();
    await dialog
      .getByRole("textbox", { name: "Address of a document" })
      .fill("https://example.org/report.pdf");
    await dialog.getByRole("button", { name: "Fetch" }).click();
    await page.getByText(/allow.fetch/).waitFor();
    await context.close();
  });

  it("deletes with undo; a list that is loaded again does not bring the document back", async () => {
    const { page, context, faults } = await openLibrary();
    await drop(page, [{ name: "passing.md", text: "# Passing\n\nIt will be deleted.\n" }]);
    await row(page, "passing.md").getByText("Ready").waitFor();
    const remove = async () => {
      await page.getByRole("button", { name: "Actions for Passing" }).click();
      await page.getByRole("menuitem", { name: "Delete" }).click();
      await row(page, "passing.md").waitFor({ state: "detached" });
    };
    await remove();
    await page.getByRole("button", { name: "Undo" }).click();
    await row(page, "passing.md").waitFor();

    await remove();
    // Another document has the list loaded again while the deletion can still be undone.
    await drop(page, [{ name: "other.md", text: "# Other\n\nIt stays.\n" }]);
    await row(page, "other.md").getByText("Ready").waitFor();
    expect(await row(page, "passing.md").count()).toBe(0);
    // A page that is closed carries out the deletion.
    await page.goto("about:blank");
    await expect.poll(async () => (await documentNames()).includes("passing.md")).toBe(false);
    expect(await documentNames()).toContain("other.md");
    expect(faults.filter((fault) => !fault.includes("ERR_ABORTED"))).toEqual([]);
    await context.close();
  });

  it("shows a document with selectable text, outline, thumbnails and what was understood", async () => {
    const { page, context, faults } = await openLibrary();
    await page.getByRole("link", { name: "Nordvik: a short history of a harbour" }).click();
    await page.waitForURL(/\/library\/.+/);
    await page.getByRole("img", { name: /^Page 1 of Nordvik/ }).waitFor();
    const line = page.getByText("The first quay of Nordvik was built in 1911", { exact: false });
    await line.first().waitFor();
    const selected = await line.first().evaluate((element) => {
      getSelection()?.selectAllChildren(element);
      return getSelection()?.toString();
    });
    expect(selected).toContain("The first quay of Nordvik");

    await page.getByRole("navigation", { name: "Outline" }).getByRole("button").first().waitFor();
    await page.getByRole("button", { name: "Open page 3" }).click();
    await page.getByRole("img", { name: /^Page 3 of Nordvik/ }).waitFor();
    await page.waitForURL(/page=3/);
    await page.getByRole("button", { name: "Previous page" }).click();
    await page.getByRole("img", { name: /^Page 2 of Nordvik/ }).waitFor();

    await page.getByRole("checkbox", { name: "Show what was understood" }).check();
    await page
      .getByText(/running head$/)
      .first()
      .waitFor();

    await page.getByRole("searchbox", { name: "Find in this document" }).fill("granite");
    await page.keyboard.press("Enter");
    await page
      .getByRole("button", { name: /granite/ })
      .first()
      .click();
    await page.getByRole("img", { name: /passage marked$/ }).waitFor();
    await page.waitForURL(/chunk=/);
    expect(faults).toEqual([]);
    await context.close();
  });

  it("has an outline for every kind of document", async () => {
    const { items } = (await (await fetch(`${server.url}/documents`)).json()) as {
      items: { id: string; filename: string }[];
    };
    for (const name of ["leuchtturm.md", "pump-manual.html", "storm-surges.pdf"]) {
      const id = items.find((item) => item.filename === name)?.id;
      const outline = await fetch(`${server.url}/documents/${id}/outline`);
      const headings = ((await outline.json()) as { items: { page: number }[] }).items;
      expect(headings.length, name).toBeGreaterThan(0);
      expect(headings[0]?.page, name).toBe(1);
    }
  });

  it("names the answers that cite a page", async () => {
    const { page, context, faults } = await openPage(browser);
    await page.goto(`${server.url}/app/`);
    await chooseAgent(page, "demo");
    await ask(page, "What happened to the harbour of Nordvik?");
    await waitForEnd(page);
    await page.goto(`${server.url}/app/library/nordvik?page=1`);
    const answers = page.getByRole("region", { name: "Answers that cite this page" });
    await answers.getByText("The first quay of Nordvik was built in 1911").waitFor();
    expect(await answers.getByText("✓ verified").count()).toBeGreaterThan(0);
    await answers.getByRole("link", { name: "What happened to the harbour" }).first().click();
    await page.getByRole("log", { name: "Conversation" }).waitFor();
    await page.goto(`${server.url}/app/library/nordvik?page=3`);
    await answers.getByText("No answer cites page 3.").waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });

  it("reads a document again, renames and labels it", async () => {
    const { page, context, faults } = await openPage(browser);
    await page.goto(`${server.url}/app/library/sample-quay-lease`);
    await page.getByRole("heading", { level: 1, name: "Lease of the north quay" }).waitFor();
    await page.getByRole("button", { name: "Document actions" }).click();
    const request = page.waitForResponse((response) => response.url().endsWith("/read"));
    await page.getByRole("menuitem", { name: "Read again" }).click();
    expect((await request).status()).toBe(202);
    const details = page.getByRole("region", { name: "About this document" });
    await details.getByText("Ready").waitFor();
    await details.getByRole("textbox", { name: "Title" }).fill("The lease");
    await details.getByRole("button", { name: "Save title" }).click();
    await page.getByRole("heading", { level: 1, name: "The lease" }).waitFor();
    await details.getByRole("textbox", { name: "New label" }).fill("contracts");
    await details.getByRole("button", { name: "Add label" }).click();
    await details.getByRole("list", { name: "Labels" }).getByText("contracts").waitFor();
    await details.getByText("Ready").waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });
});
