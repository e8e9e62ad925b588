import { describe, expect, it } from "vitest";
import { AgentRequestError, AgentUI } from "../src/index.js";

const target = { agentId: "agent-1", conversationId: "conv 1" };

/** Returns an agent whose requests are recorded, and that receives one response for all of them. */
function recorded(response: () => Response) {
  const requests: { method: string; url: string; body: unknown; key: string | undefined }[] = [];
  const ui = new AgentUI({
    baseUrl: "http://pincite.test/",
    apiKey: "k",
    fetch: async (url, init) => {
      const headers = init?.headers as Record<string, string>;
      requests.push({
        method: init?.method ?? "",
        url: String(url),
        body: init?.body === undefined ? undefined : JSON.parse(String(init.body)),
        key: headers.Authorization,
      });
      return response();
    },
  });
  return { ui, requests };
}

const accepted = () => Response.json({ id: "m1", repairs: [] }, { status: 201 });

describe("AgentUI", () => {
  it("sends the seven kinds of messages of the specification", async () => {
    const { ui, requests } = recorded(accepted);
    await ui.sendText({ ...target, text: "Hi", sentiment: "positive" });
    await ui.sendUI({
      ...target,
      component: {
        component: "list",
        data: { title: "T", items: [] },
        layout: { width: "full" },
      },
    });
    await ui.sendActions({ ...target, actions: [{ id: "a", label: "A" }] });
    await ui.requestContext({ ...target, fields: ["user.cart"], reason: "To help" });
    await ui.sendReasoning({
      ...target,
      steps: [{ step: 1, title: "s", description: "d", completed: true }],
    });
    await ui.sendToolCall({ ...target, toolName: "t", arguments: { a: 1 }, status: "completed" });
    const sent = await ui.sendError({ ...target, message: "Failed", code: "E", recoverable: true });
    expect(sent).toEqual({ id: "m1", repairs: [] });
    expect(new Set(requests.map(({ method, url }) => `${method} ${url}`))).toEqual(
      new Set(["POST http://pincite.test/conversations/conv%201/messages"]),
    );
    expect(requests[0]?.key).toBe("Bearer k");
    expect(requests.map(({ body }) => body)).toEqual([
      { type: "text", agentId: "agent-1", payload: { text: "Hi", sentiment: "positive" } },
      {
        type: "ui",
        agentId: "agent-1",
        payload: {
          component: "list",
          data: { title: "T", items: [] },
          layout: { width: "full" },
        },
      },
      { type: "action", agentId: "agent-1", payload: { actions: [{ id: "a", label: "A" }] } },
      {
        type: "context_request",
        agentId: "agent-1",
        payload: { fields: ["user.cart"], reason: "To help" },
      },
      {
        type: "reasoning",
        agentId: "agent-1",
        payload: { steps: [{ step: 1, title: "s", description: "d", completed: true }] },
      },
      {
        type: "tool_call",
        agentId: "agent-1",
        payload: { toolName: "t", arguments: { a: 1 }, status: "completed" },
      },
      {
        type: "error",
        agentId: "agent-1",
        payload: { message: "Failed", code: "E", recoverable: true },
      },
    ]);
  });

  it("updates messages and reports actions", async () => {
    const { ui, requests } = recorded(accepted);
    await ui.updateUI("c", "m/1", [{ op: "replace", path: "/data/title", value: "New" }]);
    const execution = { messageId: "m", actionId: "a", idempotencyKey: "k" };
    await ui.reportAction("c", execution, { state: "done", result: 1 });
    expect(requests.map(({ method, url, body }) => [method, url, body])).toEqual([
      [
        "PATCH",
        "http://pincite.test/conversations/c/messages/m%2F1",
        [{ op: "replace", path: "/data/title", value: "New" }],
      ],
      [
        "POST",
        "http://pincite.test/conversations/c/messages/m/actions/a/result",
        { idempotencyKey: "k", state: "done", result: 1 },
      ],
    ]);
  });

  it("names the wrong fields of a refused message", async () => {
    const refused = {
      error: { code: "invalid_message", message: "Not valid", hint: "Repair it" },
      errors: [{ path: "/payload/text", code: "required", message: "Missing" }],
    };
    const { ui } = recorded(() => Response.json(refused, { status: 422 }));
    const error = await ui.sendText({ ...target, text: "" }).catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(AgentRequestError);
    expect(error).toMatchObject({ status: 422, code: "invalid_message", errors: refused.errors });
  });

  it("yields changes and resumes behind the last one", async () => {
    const frames = [
      'id: 4\nevent: message\ndata: {"id":"m"}\n\n:\n\nid: 7\nevent: act',
      'ion\ndata: {"actionId":"a","state":"running"}\n\n',
    ];
    const { ui, requests } = recorded(
      () =>
        new Response(
          new ReadableStream({
            start(controller) {
              for (const frame of frames) controller.enqueue(new TextEncoder().encode(frame));
              controller.close();
            },
          }),
        ),
    );
    const seen: unknown[] = [];
    for await (const change of ui.changes("c")) {
      seen.push(change);
      if (seen.length === 4) break;
    }
    expect(seen.slice(0, 2)).toEqual([
      { position: 4, type: "message", message: { id: "m" } },
      { position: 7, type: "action", execution: { actionId: "a", state: "running" } },
    ]);
    expect(requests.map(({ url }) => url.split("?")[1])).toEqual(["live=true", "after=7"]);
  });
});
