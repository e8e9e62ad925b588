// Compares compressed sizes, bundled with our own packages, with `sizeLimits` in package.json. A limit is that of an entry,
// such as ".", or of a part of one, such as ". { CitationMarker }", which shows that the rest is left out.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "vite";
import { exportedSources } from "./package-entries.mjs";

const OWN_PACKAGE = /^@pincite\//;
const ENTRY = "virtual:entry";

/** Returns the compressed size of a module with everything that it needs of ours. */
async function compressedSize(code) {
  const result = await build({
    configFile: false,
    logLevel: "error",
    resolve: { conditions: ["pincite-source"] },
    plugins: [
      {
        name: "entry",
        resolveId: (id) => (id === ENTRY ? `\0${ENTRY}` : undefined),
        load: (id) => (id === `\0${ENTRY}` ? code : undefined),
      },
    ],
    build: {
      write: false,
      minify: true,
      modulePreload: false,
      rolldownOptions: {
        input: ENTRY,
        preserveEntrySignatures: "strict",
        external: (id) =>
          id !== ENTRY && !/^[./\0]/.test(id) && !OWN_PACKAGE.test(id) && !id.endsWith(".json"),
      },
    },
  });
  const chunks = [result].flat().flatMap(({ output }) => output.map((chunk) => chunk.code ?? ""));
  return gzipSync(chunks.join(""), { level: 9 }).length;
}

let isOver = false;
for (const name of ["client", "agui", "react", "agent"]) {
  const folder = `packages/${name}`;
  const { sizeLimits } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));
  const sources = new Map(exportedSources(folder).map(({ path, source }) => [path, source]));
  const missing = [...sources.keys()].filter((path) => !Object.hasOwn(sizeLimits, path));
  if (missing.length > 0) throw new Error(`${folder} has no size limit of ${missing}.`);
  for (const [key, limit] of Object.entries(sizeLimits)) {
    const [path, names] = key.split(" { ");
    const file = JSON.stringify(resolve(folder, sources.get(path)));
    const size = await compressedSize(`export ${names ? `{ ${names}` : "*"} from ${file};`);
    const isTooBig = size > limit;
    isOver ||= isTooBig;
    const entry = `@pincite/${name}${key.slice(1)}`;
    console.log(`${entry}: ${size} of ${limit} bytes${isTooBig ? ", too big" : ""}`);
  }
}
if (isOver) {
  console.error("Make the entry smaller, or raise `sizeLimits` in its package.json with a reason.");
  process.exit(1);
}
