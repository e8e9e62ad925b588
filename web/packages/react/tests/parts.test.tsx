// @vitest-environment jsdom
import {
  type DisplayCitation,
  displayCitations,
  type MessageCitations,
  SourceReference,
} from "@pincite/client";
import { act, type ReactNode } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import {
  Approval,
  ChatContainer,
  CITATION_VARIANTS,
  CitationComponent,
  CitationMarker,
  CitationsSection,
  CitedMarkdown,
  ErrorMessage,
  EvidencePanel,
  EvidencePopover,
  Message,
  PageViewer,
  PromptInput,
  Reasoning,
  ResponseStream,
  SourcesList,
  SummaryLine,
  safeImageSrc,
  Tool,
  useCitations,
} from "../src/index.js";

const ENTRY: MessageCitations = {
  messageId: "m",
  citations: {
    a: { fullPhrase: "The quay was built in 1911.", anchorText: "1911", citationNumber: 1 },
    b: { fullPhrase: "It was long.", citationNumber: 2, attachmentId: "notes.md" },
  },
  verifications: {
    a: {
      status: "found",
      label: "nordvik.pdf",
      document: { verifiedPageNumber: 1 },
      evidence: { src: "http://127.0.0.1:8787/p/abc?format=webp" },
      evidenceUrl: "http://127.0.0.1:8787/p/abc",
    },
    b: { status: "not_found" },
  },
  summary: { total: 2, verified: 1, partial: 0, missed: 1, pending: 0 },
  status: "complete",
};
const STATE = { deepcitation: { messages: { m: ENTRY } } };
const withoutKey = ({ key: _, state: __, ...rest }: DisplayCitation) => rest;
const [FIRST, SECOND] = displayCitations(ENTRY) as [DisplayCitation, DisplayCitation];

let container: HTMLElement;
let root: Root;
beforeAll(() => {
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });
});
beforeEach(() => {
  container = document.body.appendChild(document.createElement("div"));
  root = createRoot(container);
});
afterEach(async () => {
  await act(async () => root.unmount());
  container.remove();
});

const show = (node: ReactNode) => act(async () => root.render(node));
const find = (selector: string) => container.querySelector<HTMLElement>(selector);
const button = (name: string) =>
  [...container.querySelectorAll("button")].find(
    (element) => (element.getAttribute("aria-label") ?? element.textContent) === name,
  );
const click = (element: HTMLElement | null | undefined) => act(async () => element?.click());
const press = (element: HTMLElement | null, key: string, more: object = {}) =>
  act(async () =>
    element?.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, ...more })),
  );

/** Enters text as a person does, which React notices only through the setter of the element. */
function type(element: HTMLElement | null, text: string) {
  const prototype = element instanceof HTMLTextAreaElement ? HTMLTextAreaElement : HTMLInputElement;
  Object.getOwnPropertyDescriptor(prototype.prototype, "value")?.set?.call(element, text);
  return act(async () => element?.dispatchEvent(new Event("input", { bubbles: true })));
}

describe("CitationMarker", () => {
  it("shows number, words or source in every variant, and the state for all senses", async () => {
    const texts: Record<string, string> = {};
    for (const variant of CITATION_VARIANTS) {
      await show(<CitationMarker {...withoutKey(FIRST)} variant={variant} />);
      const marker = find("button");
      expect(marker?.getAttribute("aria-label")).toBe("Citation 1, verified");
      expect(marker?.dataset).toMatchObject({ state: "verified", variant });
      texts[variant] = marker?.textContent ?? "";
    }
    expect(texts).toEqual({
      chip: "1✓",
      superscript: "1✓",
      brackets: "[1]✓",
      underline: "1911✓",
      footnote: "1✓",
      linter: "1911✓",
      text: "1911✓",
      badge: "nordvik.pdf✓",
    });
  });

  it("is checking while the result is loading, also under its other name", async () => {
    await show(<CitationComponent citation={ENTRY.citations.b} isLoading variant="superscript" />);
    expect(find("button")?.getAttribute("aria-label")).toBe("Citation 2, checking");
  });
});

describe("EvidencePopover", () => {
  it("opens with a click, closes with Escape and returns the focus", async () => {
    const changes: boolean[] = [];
    await show(
      <EvidencePopover {...withoutKey(FIRST)} onOpenChange={(isOpen) => changes.push(isOpen)} />,
    );
    await click(find("button"));
    const dialog = find("[role=dialog]");
    expect(dialog?.textContent).toContain("Verified");
    expect(dialog?.querySelector("mark")?.textContent).toBe("1911");
    expect(dialog?.querySelector("cite")?.textContent).toBe("nordvik.pdf, page 1");
    expect(dialog?.querySelector("img")?.getAttribute("src")).toContain("/p/abc");
    expect(find("button")?.getAttribute("aria-expanded")).toBe("true");
    await press(dialog, "Escape");
    expect(find("[role=dialog]")).toBeNull();
    expect(document.activeElement).toBe(find("button"));
    await click(find("button"));
    await act(async () => document.body.dispatchEvent(new Event("pointerdown", { bubbles: true })));
    expect(find("[role=dialog]")).toBeNull();
    expect(changes).toEqual([true, false, true, false]);
  });
});

describe("EvidencePanel", () => {
  it("moves between citations and closes", async () => {
    const [onSelect, onClose] = [vi.fn(), vi.fn()];
    const panel = (selectedKey?: string) => (
      <EvidencePanel citations={[FIRST, SECOND]} {...{ selectedKey, onSelect, onClose }} />
    );
    await show(panel("a"));
    expect(find("aside")?.textContent).toContain("Citation 1 of 2");
    expect(button("Previous")?.disabled).toBe(true);
    await click(button("Next"));
    expect(onSelect).toHaveBeenCalledWith("b");
    await press(find("aside"), "Escape");
    await click(button("Close"));
    expect(onClose).toHaveBeenCalledTimes(2);
    await show(panel(undefined));
    expect(find("aside")).toBeNull();
  });
});

describe("PageViewer", () => {
  it("turns pages, enlarges them and marks areas", async () => {
    const areas = [{ page: 2, x: 0.1, y: 0.5, width: 0.2, height: 0.1 }];
    await show(
      <PageViewer
        title="Report"
        pageCount={3}
        firstPage={2}
        pageUrl={(page) => `/p${page}.png`}
        areas={areas}
      />,
    );
    expect(find("img")?.getAttribute("alt")).toBe("Page 2 of Report, passage marked");
    expect(find("[data-page-mark]")?.style.left).toBe("10%");
    await click(button("Next page"));
    expect(find("img")?.getAttribute("src")).toBe("/p3.png");
    expect(button("Next page")?.disabled).toBe(true);
    await click(button("Zoom in"));
    expect(find("[data-page-sheet]")?.style.width).toBe("150%");
    await act(async () => find("img")?.dispatchEvent(new Event("error")));
    expect(find("figure")?.textContent).toContain("could not be loaded");
  });
});

describe("SummaryLine and SourcesList", () => {
  it("count citations and filter by state", async () => {
    const onFilter = vi.fn();
    const summary = [
      { state: "verified", count: 1 },
      { state: "not found", count: 1 },
    ] as const;
    await show(<SummaryLine summary={summary} onFilter={onFilter} />);
    expect(find("p")?.textContent).toBe("1 of 2 quotes verified · 1 not found");
    await click(button("1 not found"));
    expect(onFilter).toHaveBeenCalledWith("not found");
    await show(<SummaryLine summary={summary} />);
    expect(find("button")).toBeNull();
  });

  it("list every source once", async () => {
    const onSelect = vi.fn();
    const again = { ...FIRST, key: "c", number: 3 };
    await show(<SourcesList citations={[FIRST, SECOND, again]} onSelect={onSelect} />);
    const names = [...container.querySelectorAll("cite")].map((element) => element.textContent);
    expect(names).toEqual(["nordvik.pdf", "notes.md"]);
    await click(button("Citation 3, verified"));
    expect(onSelect).toHaveBeenCalledWith("c");
  });
});

describe("CitationsSection", () => {
  it("shows number, title, pages, headings and passage", async () => {
    const source = new SourceReference({
      chunkId: "c",
      documentId: "d",
      documentUri: "s3://b/report.pdf",
      content: "Some **words** [1].",
      headings: ["One", "Two"],
      pageNumbers: [5, 6],
      index: 4,
    });
    const onView = vi.fn();
    const writeText = vi.fn(async () => undefined);
    Object.assign(navigator, { clipboard: { writeText } });
    await show(<CitationsSection sourceReferences={[source]} onView={onView} />);
    expect(find("summary")?.textContent).toBe("1 source");
    expect(find("li summary")?.textContent).toBe("4 report.pdf p.5-6");
    expect(find("[data-source-headings]")?.textContent).toBe("One > Two");
    expect(find("strong")?.textContent).toBe("words");
    await click(button("View source"));
    expect(onView).toHaveBeenCalledWith(source);
    await click(button("Copy citation 4"));
    expect(writeText).toHaveBeenCalledWith(
      "report.pdf\nOne > Two\np.5-6\ns3://b/report.pdf\nchunk id: c\n\nSome **words** [1].",
    );
    await show(<CitationsSection sourceReferences={[]} />);
    expect(container.textContent).toBe("");
  });
});

describe("CitedMarkdown and ResponseStream", () => {
  it("show markers with their state; unknown numbers only while the text is written", async () => {
    const text = "Built in 1911 [1]. Long [2]. Odd [7].";
    const markers = () =>
      [...container.querySelectorAll("[data-citation-marker]")].map((marker) => marker.ariaLabel);
    await show(<CitedMarkdown text={text} state={STATE} messageId="m" isStreaming />);
    expect(markers()).toHaveLength(3);
    await show(<CitedMarkdown text={text} state={STATE} messageId="m" />);
    expect(container.querySelectorAll("[data-citation-marker]")).toHaveLength(2);
    await click(button("Citation 1, verified"));
    expect(find("[role=dialog]")?.textContent).toContain("nordvik.pdf");
    const onSelect = vi.fn();
    await show(<CitedMarkdown text={text} state={STATE} messageId="m" onSelect={onSelect} />);
    await click(button("Citation 2, not found"));
    expect(onSelect).toHaveBeenCalledWith("b");
    const message = { id: "m", role: "assistant", content: text } as const;
    await show(<ResponseStream message={message} state={STATE} />);
    expect(find("[data-citation-summary]")?.textContent).toBe(
      "1 of 2 quotes verified · 1 not found",
    );
  });
});

describe("useCitations", () => {
  it("returns records by key", async () => {
    const views: ReturnType<typeof useCitations>[] = [];
    function Probe({ state, id }: { state: unknown; id: string }) {
      views.push(useCitations({ state, messageId: id }));
      return null;
    }
    await show(<Probe state={STATE} id="m" />);
    await show(<Probe state={{ ...STATE }} id="m" />);
    await show(<Probe state={STATE} id="other" />);
    expect(views[0]).toMatchObject({ citations: ENTRY.citations, status: "complete" });
    expect(views[1]).toBe(views[0]);
    expect(views[2]).toMatchObject({ citations: {}, verifications: {}, summary: { total: 0 } });
  });
});

describe("parts of a chat", () => {
  it("PromptInput sends with Enter and stops a run", async () => {
    const [onSubmit, onStop] = [vi.fn(), vi.fn()];
    await show(<PromptInput onSubmit={onSubmit} />);
    expect(button("Send")?.disabled).toBe(true);
    await type(find("textarea"), "When?");
    await press(find("textarea"), "Enter", { shiftKey: true });
    await press(find("textarea"), "Enter", { isComposing: true });
    expect(onSubmit).not.toHaveBeenCalled();
    await press(find("textarea"), "Enter");
    expect(onSubmit).toHaveBeenCalledWith("When?");
    expect((find("textarea") as HTMLTextAreaElement).value).toBe("");
    await show(<PromptInput onSubmit={onSubmit} isRunning onStop={onStop} />);
    await click(button("Stop"));
    expect(onStop).toHaveBeenCalledOnce();
  });

  it("Message, Reasoning, Tool and ErrorMessage describe themselves", async () => {
    const call = {
      id: "t",
      type: "function",
      function: { name: "search", arguments: '{"q":1' },
    } as const;
    const onRetry = vi.fn();
    await show(
      <ChatContainer>
        <Message from="user">Hi</Message>
        <Message from="assistant" author="Reader" isStreaming>
          <Reasoning text="Hm." duration={1500} />
          <Tool call={call} />
          <Tool call={call} result='{"a":1}' />
          <Tool call={call} error="no" />
        </Message>
        <ErrorMessage error={{ message: "Failed.", hint: "Wait." }} onRetry={onRetry} />
      </ChatContainer>,
    );
    expect(find("[role=log]")?.getAttribute("aria-label")).toBe("Conversation");
    const names = [...container.querySelectorAll("article")].map(
      (element) => element.ariaLabel ?? element.getAttribute("aria-label"),
    );
    expect(names).toEqual(["You", "Reader"]);
    expect(find("[data-reasoning] summary")?.textContent).toBe("Thought for 1.5 s");
    const tools = [...container.querySelectorAll<HTMLElement>("[data-tool]")];
    expect(tools.map((tool) => tool.dataset.status)).toEqual(["running", "done", "failed"]);
    expect(tools[0]?.querySelector("pre")?.textContent).toBe('{"q":1');
    expect(find("[data-error-message]")?.textContent).toBe("Failed.Wait.Try again");
    await click(button("Try again"));
    expect(onRetry).toHaveBeenCalledOnce();
  });

  it("Approval answers an interrupt", async () => {
    const call = {
      id: "t",
      type: "function",
      function: { name: "send", arguments: "{}" },
    } as const;
    const onDecide = vi.fn();
    await show(
      <Approval interrupt={{ id: "i", message: "Send it?" }} call={call} onDecide={onDecide} />,
    );
    await type(find("textarea"), "{");
    expect(button("Approve")?.disabled).toBe(true);
    await type(find("textarea"), '{"to":"Ada"}');
    await click(button("Approve"));
    const resolved = { interruptId: "i", status: "resolved" };
    expect(onDecide).toHaveBeenLastCalledWith({
      ...resolved,
      payload: { approved: true, arguments: { to: "Ada" } },
    });
    await type(find("input"), "Later");
    await click(button("Reject"));
    expect(onDecide).toHaveBeenLastCalledWith({
      ...resolved,
      payload: { approved: false, reason: "Later" },
    });
    await show(
      <Approval interrupt={{ id: "i", expiresAt: "2020-01-01T00:00:00Z" }} onDecide={onDecide} />,
    );
    await click(button("Continue without it"));
    expect(onDecide).toHaveBeenLastCalledWith({ interruptId: "i", status: "cancelled" });
  });
});

describe("safeImageSrc", () => {
  it("allows images of servers and image data", () => {
    for (const src of [
      "https://x.example/a.png",
      "/p/abc?format=webp",
      "data:image/png;base64,AA==",
    ]) {
      expect(safeImageSrc(src)).toBe(src);
    }
    for (const src of [
      "javascript:alert(1)",
      "//x.example/a",
      "data:image/svg+xml,<svg>",
      "",
      undefined,
    ]) {
      expect(safeImageSrc(src)).toBeUndefined();
    }
  });
});
