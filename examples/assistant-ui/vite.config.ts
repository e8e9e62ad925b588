import { defineConfig } from "vite";

const pincite = process.env.PINCITE_URL ?? "http://127.0.0.1:8787";
const proxy = { "/agents/": pincite, "/p/": pincite };

export default defineConfig({
  resolve: { dedupe: ["react", "react-dom"] },
  server: { proxy },
  preview: { proxy },
});
