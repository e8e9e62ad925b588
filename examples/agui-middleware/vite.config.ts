import { defineConfig } from "vite";

const agent = process.env.AGENT_URL ?? "http://127.0.0.1:8801";
const pincite = process.env.PINCITE_URL ?? "http://127.0.0.1:8787";
/** The page, the agent and the Pincite server have one origin, which is the default address of the middleware. */
const proxy = { "/api/agent": agent, "/verify": pincite, "/citations": pincite, "/p/": pincite };

export default defineConfig({
  resolve: { dedupe: ["react", "react-dom"] },
  server: { proxy },
  preview: { proxy },
});
