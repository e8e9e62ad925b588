// @vitest-environment jsdom
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: templates of A2UI are written like this
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { act, type ReactNode } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { readPath, writePath } from "../src/a2ui/dataModel.js";
import { ExpressionError, parseTemplate } from "../src/a2ui/expression.js";
import { callFunction } from "../src/a2ui/functions.js";
import { type A2uiAction, A2uiRenderer, foldOperations } from "../src/index.js";

const EXAMPLES = join(import.meta.dirname, "../../../../crates/a2ui/tests/vectors");

beforeAll(() => {
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });
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
}

/** Operations that build surface `s` with these components and this data. */
function surface(components: unknown[], data: unknown = {}): unknown[] {
  return [
    { version: "v0.9", createSurface: { surfaceId: "s", catalogId: "c" } },
    { version: "v0.9", updateDataModel: { surfaceId: "s", value: data } },
    { version: "v0.9", updateComponents: { surfaceId: "s", components } },
  ];
}

describe("templates", () => {
  it("are divided into parts", () => {
    expect(parseTemplate("a ${/b} c")).toEqual(["a ", { path: "/b" }, " c"]);
    expect(parseTemplate("\\${x} ${'it\\'s'}")).toEqual(["${x} ", "it's"]);
    expect(parseTemplate("${42}${-1.5}${true}${null}${}")).toEqual([42, -1.5, true]);
    expect(parseTemplate("${f(a: 1, b: ${/x}, c: g(d: 'e}'))}")).toEqual([
      { call: "f", args: { a: 1, b: { path: "/x" }, c: { call: "g", args: { d: "e}" } } } },
    ]);
  });

  it("that are broken say so", () => {
    for (const broken of ["${a", "${f(a: 1}", "${f(1)}", "${a b}", "${1.2.3}", "${1e999}"]) {
      expect(() => parseTemplate(broken), broken).toThrow(ExpressionError);
    }
    expect(() => parseTemplate("x".repeat(10_001))).toThrow(ExpressionError);
    expect(() => parseTemplate(`${"${".repeat(200)}a${"}".repeat(200)}`)).toThrow(ExpressionError);
  });
});

describe("data", () => {
  it("is read and written by JSON Pointer without changing the original", () => {
    const data = { a: [{ "b/c": 1 }] };
    expect(readPath(data, "/a/0/b~1c")).toBe(1);
    expect(readPath(data, "/a/7")).toBeUndefined();
    expect(writePath(data, "/a/1", 2)).toEqual({ a: [{ "b/c": 1 }, 2] });
    expect(writePath({}, "/x/1", 1)).toEqual({ x: [null, 1] });
    expect(writePath(data, "/a", undefined)).toEqual({});
    expect(data).toEqual({ a: [{ "b/c": 1 }] });
    expect(() => writePath({ a: 1 }, "/a/b", 1)).toThrow();
    expect(() => writePath({}, "/__proto__/x", 1)).toThrow();
    expect(({} as { x?: unknown }).x).toBeUndefined();
  });
});

describe("functions", () => {
  it("give the results of the catalog", () => {
    expect(callFunction("formatNumber", { value: "1234567.5" })).toBe("1,234,567.5");
    expect(callFunction("formatCurrency", { value: -5, currency: "eur", decimals: 0 })).toBe("-€5");
    const date = { value: "2026-01-16T14:30:05Z", format: "EEEE, d MMMM h:mm a 'o''clock'" };
    expect(callFunction("formatDate", date)).toBe("Friday, 16 January 2:30 PM o'clock");
    expect(callFunction("pluralize", { value: 1, one: "item", other: "items" })).toBe("item");
    expect(callFunction("required", { value: [] })).toBe(false);
    expect(callFunction("email", { value: "a@b.c" })).toBe(false);
    expect(() => callFunction("constructor", {})).toThrow();
    expect(() => callFunction("regex", { value: "a", pattern: "(a+)+$" })).toThrow();
  });
});

describe("A2uiRenderer", () => {
  it("renders the official examples without a fallback", async () => {
    const files = readdirSync(EXAMPLES).filter((name) => name.endsWith(".json"));
    expect(files).toHaveLength(21);
    for (const file of files) {
      const { messages } = JSON.parse(readFileSync(join(EXAMPLES, file), "utf8"));
      await show(<A2uiRenderer operations={messages} />);
      const text = container.textContent ?? "";
      expect(text.length, file).toBeGreaterThan(10);
      for (const sign of ["could not be shown", "not known", "not shown", "Waiting for content"]) {
        expect(text, file).not.toContain(sign);
      }
    }
  });

  it("binds inputs both ways and sends events with their context", async () => {
    const actions: A2uiAction[] = [];
    const operations = surface(
      [
        { id: "root", component: "Column", children: ["name", "hello", "send"] },
        { id: "name", component: "TextField", label: "Name", value: { path: "/name" } },
        {
          id: "hello",
          component: "Text",
          text: { call: "formatString", args: { value: "Hello ${/name}" } },
        },
        {
          id: "send",
          component: "Button",
          child: "label",
          action: { event: { name: "greet", context: { who: { path: "/name" } } } },
          checks: [
            {
              condition: { call: "required", args: { value: { path: "/name" } } },
              message: "Enter a name",
            },
          ],
        },
        { id: "label", component: "Text", text: "Send" },
      ],
      { name: "" },
    );
    await show(
      <A2uiRenderer operations={operations} onAction={(action) => actions.push(action)} />,
    );
    const button = container.querySelector("button");
    expect(button?.disabled).toBe(true);
    expect(container.textContent).toContain("Enter a name");
    const input = container.querySelector("input") as HTMLInputElement;
    await act(async () => {
      const { set } = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value") ?? {};
      set?.call(input, "Ada");
      input.dispatchEvent(new Event("input", { bubbles: true }));
    });
    expect(container.textContent).toContain("Hello Ada");
    await act(async () => button?.click());
    expect(actions).toMatchObject([
      { name: "greet", surfaceId: "s", sourceComponentId: "send", context: { who: "Ada" } },
    ]);
  });

  it("repeats a template for each item of a list", async () => {
    const operations = surface(
      [
        { id: "root", component: "List", children: { componentId: "row", path: "/items" } },
        { id: "row", component: "Text", text: { path: "name" }, variant: "caption" },
      ],
      { items: [{ name: "alpha" }, { name: "beta" }] },
    );
    await show(<A2uiRenderer operations={operations} />);
    expect([...container.querySelectorAll("li")].map((item) => item.textContent)).toEqual([
      "alpha",
      "beta",
    ]);
  });

  it("ends cycles, shows no HTML, loads no picture and opens no script", async () => {
    const hostile = "<img src=x onerror=alert(1)>";
    await show(
      <A2uiRenderer
        operations={surface([
          { id: "root", component: "Column", children: ["t", "p", "b", "root"] },
          { id: "t", component: "Text", text: hostile },
          { id: "p", component: "Image", url: "https://example.org/x.png", description: hostile },
          {
            id: "b",
            component: "Button",
            child: "t",
            action: { functionCall: { call: "openUrl", args: { url: "javascript:alert(1)" } } },
          },
        ])}
      />,
    );
    expect(container.querySelector("img")).toBeNull();
    expect(container.querySelector("a")).toBeNull();
    expect(container.textContent).toContain("Load picture from example.org");
    expect(container.textContent).toContain("Deeper parts are not shown.");
  });

  it("bounds surfaces and components", () => {
    const create = (id: number) => ({ createSurface: { surfaceId: `${id}`, catalogId: "c" } });
    const many = foldOperations(Array.from({ length: 1_000 }, (_, id) => create(id)));
    expect(many.surfaces).toHaveLength(100);
    expect(many.problems).toHaveLength(900);
    const components = Array.from({ length: 5_001 }, (_, id) => ({
      id: `${id}`,
      component: "Divider",
    }));
    expect(foldOperations(surface(components)).problems).toHaveLength(1);
  });
});
