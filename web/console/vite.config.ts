import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import react from "@vitejs/plugin-react";
import { defaultClientConditions, defineConfig, type Plugin } from "vite";

/** Files that become smaller by compression; fonts are compressed already. */
const COMPRESSIBLE = /\.(css|html|js|svg)$/;

/** Writes a compressed copy beside every text file, which the server sends to browsers. */
function compressFiles(): Plugin {
  let outDir = "";
  return {
    name: "compress-files",
    apply: "build",
    configResolved(config) {
      outDir = config.build.outDir;
    },
    closeBundle() {
      for (const name of readdirSync(outDir, { recursive: true, encoding: "utf8" })) {
        const file = join(outDir, name);
        if (COMPRESSIBLE.test(name)) {
          writeFileSync(`${file}.gz`, gzipSync(readFileSync(file), { level: 9 }));
        }
      }
    },
  };
}

export default defineConfig({
  base: "/app/",
  plugins: [react(), compressFiles()],
  // The packages of this workspace are read from their sources.
  resolve: { conditions: ["pincite-source", ...defaultClientConditions] },
  build: {
    // The content security policy allows no `data:` addresses for scripts, styles and fonts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: {
    proxy: { "^/(?!app/|@|node_modules/)": process.env.PINCITE_URL ?? "http://127.0.0.1:8787" },
  },
});
