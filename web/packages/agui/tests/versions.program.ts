import { HttpAgent as CurrentAgent } from "@ag-ui/client";
import { HttpAgent as PreviousAgent } from "ag-ui-client-0-0-58";
import { HttpAgent as LastAgent } from "ag-ui-client-0-0-59";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RunningProgram, startPincite, startProgram } from "../../../tests/programs.js";
import { createDeepCitationMiddleware, type DeepCitationAgUIState } from "../src/index.js";

const VERSIONS = { "1.0.0": CurrentAgent, "0.0.59": LastAgent, "0.0.58": PreviousAgent };
let pincite: RunningProgram;
let upstream: RunningProgram;
beforeAll(async () => {
  pincite = await startPincite("--samples");
  const script = "examples/agui-middleware/mock-agent.mjs";
  upstream = await startProgram("node", [script], { env: { PORT: "0" } });
});
afterAll(async () => {
  await upstream?.stop();
  await pincite?.stop();
});

describe("createDeepCitationMiddleware with a real server", () => {
  for (const [version, HttpAgent] of Object.entries(VERSIONS)) {
    it(`verifies an answer with @ag-ui/client ${version}`, async () => {
      const agent = new HttpAgent({ url: upstream.url });
      const verifyOptions = { outputImageFormat: "webp", generateProofUrls: true } as const;
      agent.use(createDeepCitationMiddleware({ url: pincite.url, verifyOptions }) as never);
      await agent.runAgent();
      const { messages } = (agent.state as { deepcitation: DeepCitationAgUIState }).deepcitation;
      const [entry] = Object.values(messages);
      expect(entry).toMatchObject({
        status: "complete",
        summary: { total: 2, verified: 1, partial: 0, missed: 1, pending: 0 },
      });
      const [first] = Object.values(entry?.verifications ?? {});
      expect(first?.evidence?.src).toMatch(/^data:image\/webp;base64,/);
    });
  }
});
