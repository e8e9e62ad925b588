// @vitest-environment jsdom
import { act } from "react";
import { createRoot } from "react-dom/client";
import { beforeAll, describe, expect, it } from "vitest";
import { Markdown } from "../src/index.js";

beforeAll(() => {
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });
});

describe("Markdown", () => {
  it("renders only the last block again while text is added", async () => {
    const rendered: string[] = [];
    const parts = {
      isMarker: () => true,
      renderMarker: (number: number) => {
        rendered.push(`marker ${number}`);
        return number;
      },
      renderCode: (code: string) => {
        rendered.push(`code ${code}`);
        return <pre>{code}</pre>;
      },
    };
    const container = document.createElement("div");
    const root = createRoot(container);
    const show = (text: string) =>
      act(async () => root.render(<Markdown text={text} isStreaming parts={parts} />));

    await show("First [1] paragraph.\n\n```\ncode\n```\n\nLast");
    rendered.length = 0;
    let text = "First [1] paragraph.\n\n```\ncode\n```\n\nLast";
    for (let word = 0; word < 50; word += 1) {
      text += ` word${word}`;
      await show(text);
    }
    await show(`${text} [2]. End`);
    expect(new Set(rendered)).toEqual(new Set(["marker 2"]));
    expect(container.textContent).toContain("word49");
    await act(async () => root.unmount());
  });
});
