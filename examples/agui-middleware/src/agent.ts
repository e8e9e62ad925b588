import { HttpAgent } from "@ag-ui/client";
import { createDeepCitationMiddleware } from "@pincite/agui";

const agent = new HttpAgent({ url: "/api/agent" });
agent.use(createDeepCitationMiddleware({
  apiKey: "sk-dc-...",
  verifyOptions: { outputImageFormat: "avif", generateProofUrls: true },
}));

export { agent };
