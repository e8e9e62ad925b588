import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AgentScript, Gate, startAgent, type TestAgent } from "./agent.js";
import {
  ask,
  chooseAgent,
  expectAccessible,
  openPage,
  startBrowser,
  waitForEnd,
} from "./browser.js";
import { startServer, type TestServer } from "./server.js";

const CHART = {
  component: "chart",
  data: {
    title: "Revenue Trend",
    chartType: "line",
    labels: ["Jan", "Feb", "Mar"],
    datasets: [{ label: "Revenue", data: [10, 12, 15] }],
  },
};

let gate = new Gate();

/** Shows a chart, waits at the gate, then says something. Every second question is answered with text only. */
const script: AgentScript = async (run) => {
  const question = run.input.messages.findLast((message) => message.role === "user")?.content;
  if (question === "draw") {
    const { runId } = run.input;
    run.send({
      type: "ACTIVITY_SNAPSHOT",
      messageId: `${runId}-chart`,
      activityType: "pincite.ui",
      content: CHART,
    });
    await gate.wait();
    run.send({
      type: "ACTIVITY_DELTA",
      messageId: `${runId}-chart`,
      activityType: "pincite.ui",
      patch: [{ op: "replace", path: "/data/title", value: "Revenue until March" }],
    });
  }
  run.say("That is all.");
  return undefined;
};

describe("canvas", () => {
  let browser: Browser;
  let server: TestServer;
  let agent: TestAgent;
  beforeAll(async () => {
    agent = await startAgent(script);
    [browser, server] = await Promise.all([startBrowser(), startServer({ artist: agent.url })]);
  });
  afterAll(async () => {
    await browser.close();
    await server.stop();
    await agent.stop();
  });

  const request = async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const response = await fetch(`${server.url}${path}`, {
      method,
      headers: { "Content-Type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
    return response.json();
  };
  const post = async (conversation: string, type: string, payload: unknown) => {
    const message = { type, agentId: "sales", payload };
    const sent = await request("POST", `/conversations/${conversation}/messages`, message);
    return (sent as { id: string }).id;
  };
  const open = async (page: Page, conversation: string) => {
    await page.goto(`${server.url}/app/threads/${conversation}`);
    await page.getByRole("log", { name: "Conversation" }).waitFor();
  };
  /** Faults without streams that the browser ends when a page is left. */
  const real = (faults: string[]) => faults.filter((fault) => !fault.includes("ERR_ABORTED"));

  for (const theme of ["light", "dark"] as const) {
    it(`shows every component accessibly in the ${theme} theme`, async () => {
      const conversation = `all-${theme}`;
      const catalog = (await request("GET", "/canvas/catalog")) as {
        components: { name: string; example: unknown }[];
      };
      for (const { name, example } of catalog.components) {
        await post(conversation, "ui", { component: name, data: example });
      }
      for (const chartType of ["bar", "pie", "area", "scatter", "radar"]) {
        const data = { ...CHART.data, title: `A ${chartType} chart`, chartType };
        await post(conversation, "ui", { component: "chart", data });
      }
      await post(conversation, "action", {
        actions: [{ id: "go", label: "Go on", params: { pages: 2 } }],
      });
      await post(conversation, "error", { message: "The source is away", code: "AWAY" });
      for (const width of [360, 1440]) {
        const { page, context, faults } = await openPage(browser, { theme, width });
        await open(page, conversation);
        for (const { name } of catalog.components) {
          await page.locator(`[data-component="${name}"]`).first().waitFor();
        }
        await page.getByText("The source is away").waitFor();
        expect(await page.locator('[data-component="fallback"]').count()).toBe(0);
        expect(await page.getByText("| line | Revenue |").count()).toBe(0);
        const isWide = await page.evaluate(
          () => document.documentElement.scrollWidth > window.innerWidth,
        );
        expect(isWide).toBe(false);
        await expectAccessible(page);
        expect(real(faults)).toEqual([]);
        await context.close();
      }
    });
  }

  it("keeps generated components over a reload in mid-stream and after further questions", async () => {
    gate = new Gate();
    const { page, context } = await openPage(browser);
    await page.goto(`${server.url}/app/`);
    await chooseAgent(page, "artist");
    await ask(page, "draw");
    await page.getByRole("heading", { name: "Revenue Trend" }).waitFor();
    await page.reload();
    await page.getByRole("heading", { name: "Revenue Trend" }).waitFor();
    gate.open();
    await page.getByRole("heading", { name: "Revenue until March" }).waitFor();
    await waitForEnd(page);
    await ask(page, "more");
    await expect.poll(() => page.getByText("That is all.").count()).toBe(2);
    await waitForEnd(page);
    await page.reload();
    await page.getByRole("heading", { name: "Revenue until March" }).waitFor();
    expect(await page.locator('[data-component="chart"]').count()).toBe(1);
    await context.close();
  });

  it("moves cards with the keyboard, and reports the move", async () => {
    const board = {
      title: "Work",
      onMoveActionId: "move",
      columns: [
        {
          id: "todo",
          title: "To do",
          cards: [
            { id: "a", title: "First" },
            { id: "b", title: "Second" },
          ],
        },
        { id: "full", title: "Full", limit: 1, cards: [{ id: "c", title: "Third" }] },
        { id: "done", title: "Done", cards: [] },
      ],
    };
    const id = await post("board", "ui", { component: "kanban", data: board });
    const { page, context } = await openPage(browser);
    await open(page, "board");
    const card = page.getByRole("group", { name: "First" });
    await card.focus();
    await page.keyboard.press("Space");
    await page.getByText("First picked up.").waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowRight");
    await page.getByText("Full is full: at most 1 cards.").waitFor();
    await page.keyboard.press("Escape");
    await page.getByText("First is back where it was.").waitFor();
    await page.keyboard.press("Space");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Space");
    const path = `/conversations/board/messages/${id}/actions`;
    const moves = async () => ((await request("GET", path)) as { items: unknown[] }).items;
    await expect.poll(moves).toMatchObject([
      {
        actionId: "move",
        params: { cardId: "a", fromColumnId: "todo", toColumnId: "todo", position: 1 },
      },
    ]);
    await page.getByRole("combobox", { name: "Move First to" }).selectOption("Done");
    await expect.poll(moves).toMatchObject([{}, { params: { cardId: "a", toColumnId: "done" } }]);
    const box = await page.getByRole("group", { name: "Second" }).boundingBox();
    const target = await page.getByRole("region", { name: "Done" }).boundingBox();
    if (!box || !target) throw new Error("The board is not laid out.");
    await page.mouse.move(box.x + 20, box.y + 12);
    await page.mouse.down();
    await page.mouse.move(target.x + 40, target.y + target.height - 6, { steps: 5 });
    await page.mouse.up();
    await expect
      .poll(moves)
      .toMatchObject([{}, {}, { params: { cardId: "b", toColumnId: "done" } }]);
    await context.close();
  });

  it("confirms actions, and shows their states live", async () => {
    const id = await post("actions", "action", {
      actions: [
        {
          id: "delete",
          label: "Delete drafts",
          destructive: true,
          confirmationMessage: "Delete all drafts?",
          params: { count: 3 },
          paramsSchema: { properties: { count: { type: "integer", maximum: 5 } } },
          undoable: true,
        },
      ],
    });
    const { page, context } = await openPage(browser);
    await open(page, "actions");
    await page.getByRole("button", { name: "Delete drafts" }).click();
    const dialog = page.getByRole("dialog", { name: "Delete all drafts?" });
    await dialog.getByLabel("count").fill("9");
    await dialog.getByRole("button", { name: "Delete drafts" }).click();
    await dialog.getByText("At most 5.").waitFor();
    await expectAccessible(page);
    await dialog.getByLabel("count").fill("4");
    await dialog.getByRole("button", { name: "Delete drafts" }).click();
    await page.getByText("Running…").waitFor();
    const path = `/conversations/actions/messages/${id}/actions`;
    const { items } = (await request("GET", path)) as {
      items: { idempotencyKey: string; params: unknown }[];
    };
    expect(items).toMatchObject([{ params: { count: 4 }, confirmed: true, state: "running" }]);
    await request("POST", `${path}/delete/result`, {
      idempotencyKey: items[0]?.idempotencyKey,
      state: "done",
      result: "4 drafts",
    });
    await page.getByText("Done: 4 drafts").waitFor();
    await page.reload();
    await page.getByText("Done: 4 drafts").waitFor();
    await page.getByRole("button", { name: "Undo Delete drafts" }).click();
    await page.getByText("Undone").waitFor();
    await context.close();
  });

  it("checks forms, and sends their values", async () => {
    const form = {
      title: "Trip",
      onSubmitActionId: "book",
      fields: [
        { name: "name", label: "Name", type: "text", required: true },
        { name: "from", label: "From", type: "date", required: true },
        { name: "to", label: "To", type: "date", required: true },
      ],
      checks: [{ field: "to", operator: "ge", other: "from", message: "Ends before it begins." }],
    };
    const id = await post("form", "ui", { component: "form", data: form });
    const { page, context } = await openPage(browser);
    await open(page, "form");
    await page.getByRole("button", { name: "Submit" }).click();
    await page.getByText("A value is needed.").first().waitFor();
    expect(await page.evaluate(() => document.activeElement?.getAttribute("name"))).toBe("name");
    await page.getByLabel("Name").fill("Ada");
    await page.getByLabel("From").fill("2026-12-02");
    await page.getByLabel("To").fill("2026-12-01");
    await page.getByRole("button", { name: "Submit" }).click();
    await page.getByText("Ends before it begins.").waitFor();
    await expectAccessible(page);
    await page.getByLabel("To").fill("2026-12-03");
    await page.getByRole("button", { name: "Submit" }).click();
    const path = `/conversations/form/messages/${id}/actions`;
    await expect
      .poll(async () => ((await request("GET", path)) as { items: unknown[] }).items)
      .toMatchObject([{ params: { name: "Ada", from: "2026-12-02", to: "2026-12-03" } }]);
    await context.close();
  });

  it("asks for context field by field, and revokes standing decisions", async () => {
    await post("context", "context_request", {
      fields: ["user.timeZone", "user.mail"],
      reason: "To plan the call",
      optional: true,
    });
    const { page, context } = await openPage(browser);
    await open(page, "context");
    const field = (name: string) => page.getByRole("group", { name });
    await field("user.timeZone").getByLabel("Always share").check();
    await field("user.mail").getByLabel("Never share").check();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Send decision" }).click();
    await page.getByText("Shared with sales: user.timeZone.").waitFor();
    const shared = (await request("GET", "/conversations/context/context")) as {
      context: Record<string, unknown>;
    };
    expect(Object.keys(shared.context)).toEqual(["user.timeZone"]);
    await page.reload();
    await page.getByText("Shared with sales: user.timeZone.").waitFor();
    await post("context", "context_request", { fields: ["user.mail"], reason: "Again" });
    await page.getByText("Nothing was shared with sales.").waitFor();
    await page.goto(`${server.url}/app/settings/context`);
    await page.getByRole("cell", { name: "Never shared" }).waitFor();
    await expectAccessible(page);
    await page
      .getByRole("button", { name: "Revoke the decision about user.mail for sales" })
      .click();
    await page.getByRole("cell", { name: "Never shared" }).waitFor({ state: "detached" });
    await context.close();
  });

  it("executes nothing of what agents send, and follows what they post", async () => {
    const html = "<img src=x onerror=alert(1)><script>alert(1)</script>";
    await post("hostile", "ui", {
      component: "card",
      data: { title: html, content: `${html} [x](javascript:alert(1))` },
    });
    const { page, context, faults } = await openPage(browser);
    const dialogs: string[] = [];
    page.on("dialog", (dialog) => {
      dialogs.push(dialog.message());
      void dialog.dismiss();
    });
    await open(page, "hostile");
    await page.getByRole("heading", { name: html }).waitFor();
    await post("hostile", "text", { text: "Posted while the page was open." });
    await page.getByText("Posted while the page was open.").waitFor();
    expect(dialogs).toEqual([]);
    expect(real(faults)).toEqual([]);
    await context.close();
  });

  it("saves a chart as CSV, SVG and PNG", async () => {
    await post("saved", "ui", CHART);
    const { page, context } = await openPage(browser);
    await open(page, "saved");
    for (const [kind, start] of [
      ["CSV", "\uFEFF,Revenue\r\nJan,10"],
      ["SVG", "<svg"],
      ["PNG", "\uFFFDPNG"],
    ] as const) {
      await page.getByLabel("Save, enlarge or print Revenue Trend").click();
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("button", { name: `Save as ${kind}` }).click(),
      ]);
      expect(download.suggestedFilename()).toBe(`Revenue-Trend.${kind.toLowerCase()}`);
      const stream = await download.createReadStream();
      const chunks: Buffer[] = [];
      for await (const chunk of stream) chunks.push(chunk as Buffer);
      expect(Buffer.concat(chunks).toString("utf8").startsWith(start), kind).toBe(true);
    }
    await context.close();
  });
});
