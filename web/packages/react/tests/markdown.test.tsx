import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import { Markdown, safeHref, visibleText } from "../src/index.js";
import { parseBlocks } from "../src/markdown/blocks.js";
import { splitMarkers } from "../src/markdown/splitMarkers.js";

const PARTS = {
  isMarker: (number: number) => number < 5,
  renderMarker: (number: number) => <b>{number}</b>,
};

function html(text: string, isStreaming = false): string {
  return renderToStaticMarkup(<Markdown text={text} isStreaming={isStreaming} parts={PARTS} />);
}

describe("Markdown", () => {
  it("keeps a marker with the word before it and moves punctuation before it", () => {
    expect(html("Built in 1911 [1]. Then [2], [3][4]")).toBe(
      '<p dir="auto">Built in <span data-citation-group="">1911.\u00a0<b>1</b></span> ' +
        '<span data-citation-group="">Then,\u00a0<b>2</b>\u00a0<b>3</b>\u00a0<b>4</b></span></p>',
    );
  });

  it("leaves brackets in code, links, maths and of unknown numbers alone", () => {
    for (const text of ["`a[1]`", "[see [1]](https://x.example)", "$x[1]$", "list[9]"]) {
      expect(html(text), text).not.toContain("<b>");
    }
    expect(html("```js\nx[1]\n```")).toContain("x[1]");
  });

  it("shows HTML as text and images as links", () => {
    expect(html('<img src=x onerror="alert(1)">')).not.toContain("<img");
    expect(html("a <script>alert(1)</script> b")).not.toContain("<script");
    expect(html("![cat](https://x.example/cat.png)")).toContain('href="https://x.example/cat.png"');
    expect(html("![cat](https://x.example/cat.png)")).not.toContain("<img");
  });

  it("closes emphasis that is being written", () => {
    expect(html("This is **bold", true)).toContain("<strong>bold</strong>");
    expect(html("This is **bold")).not.toContain("<strong>");
  });

  it("renders tables and lists", () => {
    const table = html("| a | b |\n|---|--:|\n| 1 [1] | 2 |");
    expect(table).toContain('<th scope="col"');
    expect(table).toContain("<b>1</b>");
    expect(html("1. one\n2. two")).toContain('<ol start="1">');
  });
});

describe("parseBlocks", () => {
  it("parses only the end of a text that grows, with the result of parsing all of it", () => {
    const text =
      "# Title\n\nOne [1].\n\n- a\n- b\n\n```js\ncode\n\nmore\n```\n\n| a |\n|---|\n| 1 |\n\nEnd.";
    let blocks = parseBlocks("");
    for (let length = 1; length <= text.length; length += 1) {
      const before = blocks.blocks;
      blocks = parseBlocks(text.slice(0, length), blocks);
      expect(blocks.blocks.slice(0, before.length - 1)).toEqual(before.slice(0, -1));
    }
    const whole = parseBlocks(text).blocks;
    expect(blocks.blocks.map((block) => block.raw)).toEqual(whole.map((block) => block.raw));
    expect(blocks.blocks.map((block) => block.token.type)).toEqual(
      whole.map((block) => block.token.type),
    );
  });

  it("keeps earlier blocks as the same objects", () => {
    const before = parseBlocks("One.\n\nTwo.");
    const after = parseBlocks("One.\n\nTwo. And more.", before);
    expect(after.blocks[0]).toBe(before.blocks[0]);
  });
});

describe("safeHref", () => {
  it("allows addresses of pages and mail", () => {
    expect(safeHref("https://x.example/a?b=1")).toBe("https://x.example/a?b=1");
    expect(safeHref("mailto:a@x.example")).toBe("mailto:a@x.example");
  });

  it("refuses scripts, data, disguised and relative addresses", () => {
    for (const address of [
      "javascript:alert(1)",
      " jAvAsCrIpT:alert(1)",
      "java\nscript:alert(1)",
      "data:text/html,x",
      "blob:https://x.example/1",
      "file:///etc/passwd",
      "https://good.example@evil.example/",
      "https://x.example/\u202egpj.exe",
      "//x.example",
      "/session",
    ]) {
      expect(safeHref(address), address).toBeUndefined();
    }
  });
});

describe("visibleText", () => {
  it("hides the citation data, and a marker or block that has just begun", () => {
    const block = "<<<CITATION_DATA>>>\n{}\n<<<END_CITATION_DATA>>>";
    expect(visibleText(`Text [1].\n\n${block}\n`, false)).toBe("Text [1].");
    expect(visibleText("Text.\n<<<CITATION_DATA>>>{", true)).toBe("Text.");
    expect(visibleText("Text.\n<<<CIT", true)).toBe("Text.");
    expect(visibleText("Text [1", true)).toBe("Text");
    expect(visibleText("Text [1", false)).toBe("Text [1");
  });
});

describe("splitMarkers", () => {
  it("reads several numbers in one bracket", () => {
    expect(splitMarkers("a [1, 2] b", () => true)).toEqual([
      { kind: "text", text: "a" },
      { kind: "markers", numbers: [1, 2] },
      { kind: "text", text: " b" },
    ]);
  });
});
