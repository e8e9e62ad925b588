// @vitest-environment jsdom
import { PinciteClient } from "@pincite/client";
import { act, type ReactNode } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import {
  ActionButtons,
  type ChosenAction,
  ContextRequestForm,
  GenerativeUIRenderer,
  type UIPayload,
  useAgentContext,
} from "../src/index.js";

beforeAll(() => {
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });
  // jsdom has no dialogs.
  HTMLDialogElement.prototype.showModal = function showModal() {
    this.open = true;
  };
  HTMLDialogElement.prototype.show = HTMLDialogElement.prototype.showModal;
  HTMLDialogElement.prototype.close = function close() {
    this.open = false;
  };
});

let root: Root | undefined;
const container = document.createElement("div");
document.body.append(container);

afterEach(async () => {
  await act(async () => root?.unmount());
  root = undefined;
});

async function show(node: ReactNode): Promise<void> {
  root ??= createRoot(container);
  await act(async () => root?.render(node));
  // Lazy parts are loaded in tasks of their own.
  await act(async () => {
    await import("../src/canvas/index.js");
    await new Promise((resolve) => setTimeout(resolve, 0));
  });
}

function button(name: string): HTMLButtonElement {
  const found = [...container.querySelectorAll("button")].find(
    (element) => (element.ariaLabel ?? element.textContent)?.trim() === name,
  );
  if (!found) throw new Error(`no button ${name} in ${container.innerHTML}`);
  return found;
}

const click = (element: HTMLElement) => act(async () => element.click());

function payload(component: string, data: Record<string, unknown>): UIPayload {
  return { component, data: { title: "Example", ...data } };
}

const EXAMPLES: readonly UIPayload[] = [
  ...["line", "bar", "pie", "area", "scatter", "radar"].map((chartType) =>
    payload("chart", {
      chartType,
      labels: ["Jan", "Feb", "Mar"],
      datasets: [{ label: "Revenue", data: [1, -2, 3] }],
    }),
  ),
  payload("table", { headers: ["Name"], rows: [["Ada"]] }),
  payload("card", { content: { users: 3 } }),
  payload("form", { fields: [{ name: "n", label: "Name", type: "text" }], onSubmitActionId: "go" }),
  payload("list", { items: [{ label: "One" }] }),
  payload("timeline", { events: [{ title: "Launch", timestamp: "2026-12-01" }] }),
  payload("calendar", { events: [{ id: "e", title: "Review", start: "2026-12-01" }] }),
  payload("kanban", { columns: [{ id: "c", title: "Open", cards: [{ id: "k", title: "Card" }] }] }),
  payload("map", { points: [{ label: "Berlin", lat: 52.5, lon: 13.4 }] }),
  payload("diff", { current: "a", suggested: "b" }),
  payload("markdown", { text: "**bold**" }),
  payload("custom", { name: "gauge", props: {}, fallback: "72 of 100" }),
];

describe("GenerativeUIRenderer", () => {
  for (const example of EXAMPLES) {
    const { chartType } = example.data as { chartType?: string };
    it(`renders ${example.component} ${chartType ?? ""}`, async () => {
      await show(<GenerativeUIRenderer payload={example} />);
      const shown = container.querySelector("[data-component]");
      expect(shown?.getAttribute("data-component")).toBe(example.component);
      expect(container.innerHTML).not.toContain("NaN");
    });
  }

  it("shows a readable card for unknown components and broken data", async () => {
    await show(<GenerativeUIRenderer payload={{ component: "iframe", data: { src: "x" } }} />);
    expect(container.textContent).toContain("This component is not known here.");
    const broken = payload("chart", { chartType: "bar", labels: ["a"], datasets: [null] });
    await show(<GenerativeUIRenderer payload={broken} />);
    expect(container.querySelector('[data-component="fallback"]')).not.toBeNull();
    await show(
      <GenerativeUIRenderer payload={payload("table", { headers: ["h"], rows: [[1]] })} />,
    );
    expect(container.querySelector('[data-component="table"]')).not.toBeNull();
  });

  it("shows HTML as text and opens no hostile address", async () => {
    const html = '<img src=x onerror="alert(1)"><script>alert(1)</script>';
    for (const hostile of [
      payload("markdown", { text: `${html} [x](javascript:alert(1))` }),
      payload("card", { content: html, footer: html }),
      payload("table", { headers: [html], rows: [[html]] }),
      payload("list", { items: [{ label: html, url: "javascript:alert(1)" }] }),
      payload("chart", {
        chartType: "line",
        labels: [html],
        datasets: [{ label: html, data: [1], color: "url(javascript:alert(1))" }],
      }),
    ]) {
      await show(<GenerativeUIRenderer payload={hostile} />);
      expect(container.querySelector("script, img, iframe, object, embed")).toBeNull();
      expect(container.innerHTML).not.toMatch(/href="javascript|url\(javascript/i);
      expect(container.textContent).toContain("onerror");
    }
  });

  it("does not show a form that asks for a password", async () => {
    const form = payload("form", {
      fields: [{ name: "pw", label: "Your password", type: "text" }],
      onSubmitActionId: "go",
    });
    await show(<GenerativeUIRenderer payload={form} onAction={() => undefined} />);
    expect(container.querySelector("input")).toBeNull();
    expect(container.textContent).toContain("are not shown");
  });

  it("opens a modal by itself only if it is new", async () => {
    const modal = { ...payload("list", { items: [] }), layout: { position: "modal" as const } };
    await show(<GenerativeUIRenderer payload={modal} />);
    expect(container.querySelector("dialog")?.open).toBe(false);
    await click(button("Open Example"));
    expect(container.querySelector("dialog")?.open).toBe(true);
    await act(async () => root?.unmount());
    root = undefined;
    await show(<GenerativeUIRenderer payload={modal} isNew />);
    expect(container.querySelector("dialog")?.open).toBe(true);
  });
});

describe("ActionButtons", () => {
  it("asks before a destructive action and shows its states", async () => {
    const chosen: ChosenAction[] = [];
    const onAction = (action: ChosenAction) => {
      chosen.push(action);
    };
    const actions = [
      { id: "export", label: "Export" },
      { id: "drop", label: "Delete all", destructive: true },
    ];
    await show(<ActionButtons actions={actions} onAction={onAction} />);
    await click(button("Export"));
    expect(chosen).toEqual([{ actionId: "export", params: undefined, isConfirmed: false }]);
    await click(button("Delete all"));
    expect(chosen).toHaveLength(1);
    const confirm = container.querySelector<HTMLElement>("dialog .pincite-destructive");
    if (confirm) await click(confirm);
    expect(chosen[1]).toEqual({ actionId: "drop", params: undefined, isConfirmed: true });
    const executions = [{ actionId: "drop", state: "failed" as const, error: "No access" }];
    await show(<ActionButtons actions={actions} onAction={onAction} executions={executions} />);
    expect(container.textContent).toContain("Failed: No access");
  });

  it("edits parameters against their schema", async () => {
    const chosen: ChosenAction[] = [];
    const action = {
      id: "send",
      label: "Send",
      params: { count: 3, topic: "news" },
      paramsSchema: { properties: { count: { type: "integer", maximum: 5 } } },
    };
    await show(<ActionButtons actions={[action]} onAction={(entry) => void chosen.push(entry)} />);
    await click(button("Send"));
    const input = container.querySelector<HTMLInputElement>("dialog input");
    if (!input) throw new Error("no field");
    const type = async (value: string) =>
      act(async () => {
        Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")?.set?.call(
          input,
          value,
        );
        input.dispatchEvent(new Event("input", { bubbles: true }));
      });
    const confirm = () => container.querySelector<HTMLElement>("dialog .pincite-primary");
    await type("9");
    await click(confirm() as HTMLElement);
    expect(container.textContent).toContain("At most 5.");
    await type("4");
    await click(confirm() as HTMLElement);
    expect(chosen).toEqual([
      { actionId: "send", params: { count: 4, topic: "news" }, isConfirmed: true },
    ]);
  });

  it("disables expired actions", async () => {
    await show(
      <ActionButtons
        actions={[{ id: "a", label: "Late", expiresAt: 1 }]}
        onAction={() => undefined}
      />,
    );
    expect(button("Late").disabled).toBe(true);
    expect(container.textContent).toContain("Expired");
  });
});

describe("ContextRequestForm", () => {
  it("sends the values of granted fields only", async () => {
    const sent: unknown[] = [];
    await show(
      <ContextRequestForm
        agent="sales"
        request={{ fields: ["user.cart", "user.mail"], reason: "To help" }}
        available={{ "user.cart": ["book"], "user.mail": "a@b.example" }}
        answered={undefined}
        onAnswer={(response) => void sent.push(response)}
      />,
    );
    const radios = [...container.querySelectorAll<HTMLInputElement>("input[type=radio]")];
    expect(button("Send decision").disabled).toBe(true);
    await click(radios[0] as HTMLElement);
    await click(radios[5] as HTMLElement);
    await click(button("Send decision"));
    expect(sent).toEqual([
      {
        decisions: { "user.cart": "once", "user.mail": "never" },
        values: { "user.cart": ["book"] },
      },
    ]);
    expect(container.textContent).toBe("Shared with sales: user.cart.");
  });
});

describe("useAgentContext", () => {
  it("shares and withdraws single fields", async () => {
    const requests: string[] = [];
    const client = new PinciteClient({
      baseUrl: "http://test",
      fetch: async (url, init) => {
        requests.push(`${init?.method} ${url} ${init?.body ?? ""}`);
        return new Response("{}");
      },
    });
    let context: ReturnType<typeof useAgentContext> | undefined;
    function Sharer() {
      context = useAgentContext("c 1", client);
      return null;
    }
    await show(<Sharer />);
    await context?.shareContext("user.cart", [1]);
    await context?.removeContext("user.cart");
    expect(requests).toEqual([
      'PUT http://test/conversations/c%201/context/user.cart {"value":[1]}',
      "DELETE http://test/conversations/c%201/context/user.cart ",
    ]);
  });
});
