// @vitest-environment jsdom
import { act } from "react";
import { createRoot } from "react-dom/client";
import { describe, expect, it } from "vitest";
import { type AnswerPart, PinciteAgent } from "../src/agent.js";
import { type DeepCitationView, useDeepCitationAgUI } from "../src/react.js";

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });

const RESULT = { key: "k1", citation: { citationNumber: 1 }, verification: { status: "found" } };
const fetch = (async () =>
  new Response(`data: ${JSON.stringify(RESULT)}\n\nevent: end\ndata: {}\n\n`)) as never;

async function* answer(): AsyncGenerator<AnswerPart> {
  yield "In ";
  yield "1911 [1].";
  yield { type: "CUSTOM", name: "note", value: 1 } as never;
  yield "More.";
}

describe("PinciteAgent", () => {
  it("makes messages of its answer and verifies them", async () => {
    const agent = new PinciteAgent({ answer, citations: { url: "http://p", fetch } });
    const { newMessages } = await agent.runAgent({ runId: "r" });
    expect(newMessages.map(({ content }) => content)).toEqual(["In 1911 [1].", "More."]);
    expect(agent.state.deepcitation.messages["r-1"]).toMatchObject({
      status: "complete",
      markers: { 1: "k1" },
    });
    const copy = agent.clone();
    await copy.runAgent({ runId: "s" });
    expect(copy.state.deepcitation.messages["s-1"].status).toBe("complete");
  });

  it("ends a run with an error if its answer fails", async () => {
    class BrokenAgent extends PinciteAgent {
      protected override async *answer(): AsyncGenerator<AnswerPart> {
        yield "Begin";
        throw new Error("no model");
      }
    }
    const errors: unknown[] = [];
    await new BrokenAgent({ citations: { fetch } })
      .runAgent({}, { onRunErrorEvent: ({ event }) => void errors.push(event.message) })
      .catch(() => undefined);
    expect(errors).toEqual(["no model"]);
  });
});

describe("useDeepCitationAgUI", () => {
  it("returns the citations of a message, the same ones while they do not change", async () => {
    const views: DeepCitationView[] = [];
    function Probe({ state }: { state: unknown }) {
      views.push(useDeepCitationAgUI({ agUiState: state, messageId: "m" }));
      return null;
    }
    const root = createRoot(document.createElement("div"));
    const entry = { citations: { k: {} }, verifications: {}, status: "verifying" };
    const state = { deepcitation: { messages: { m: entry } } };
    for (const shown of [undefined, state, { ...state, other: 1 }]) {
      await act(async () => root.render(<Probe state={shown} />));
    }
    expect(views[0]).toMatchObject({ citations: {}, status: undefined, summary: { total: 0 } });
    expect(views[1]).toMatchObject({ citations: { k: {} }, status: "verifying" });
    expect(views[2]).toBe(views[1]);
  });
});
