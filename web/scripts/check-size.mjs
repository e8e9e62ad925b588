// Compares the compressed size of each entry, bundled with our own packages, with `sizeLimits` in package.json.
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { build } from "vite";
import { exportedSources } from "./package-entries.mjs";

const OWN_PACKAGE = /^@pincite\//;
let isOver = false;
for (const name of ["client", "agui", "react"]) {
  const folder = `packages/${name}`;
  const { sizeLimits } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));
  for (const { path, source } of exportedSources(folder)) {
    const result = await build({
      configFile: false,
      logLevel: "error",
      resolve: { conditions: ["pincite-source"] },
      build: {
        write: false,
        minify: true,
        modulePreload: false,
        rolldownOptions: {
          input: `${folder}/${source}`,
          preserveEntrySignatures: "strict",
          external: (id) => !/^[./\0]/.test(id) && !OWN_PACKAGE.test(id) && !id.endsWith(".json"),
        },
      },
    });
    const code = [result].flat().flatMap(({ output }) => output.map((chunk) => chunk.code ?? ""));
    const size = gzipSync(code.join(""), { level: 9 }).length;
    const limit = sizeLimits[path];
    const isTooBig = !(size <= limit);
    isOver ||= isTooBig;
    const entry = `@pincite/${name}${path.slice(1)}`;
    console.log(`${entry}: ${size} of ${limit} bytes${isTooBig ? ", too big" : ""}`);
  }
}
if (isOver) {
  console.error("Make the entry smaller, or raise `sizeLimits` in its package.json with a reason.");
  process.exit(1);
}
