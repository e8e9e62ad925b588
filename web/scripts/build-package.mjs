// Builds the package in the current folder: `dist/esm` and `dist/cjs`, each with types.
import { execFileSync } from "node:child_process";
import { cpSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "vite";
import { sourceEntries } from "./package-entries.mjs";

const tsc = fileURLToPath(new URL("../node_modules/typescript/bin/tsc", import.meta.url));
/** Packages that cannot be required; they become part of the CommonJS build. */
const MODULES_ONLY = ["marked", "remend"];
/** Data that is read as JSON becomes part of the package, because Node.js imports JSON with an attribute only. */
const isBundled = (id, format) =>
  id.endsWith(".json") || (format === "cjs" && MODULES_ONLY.includes(id));

rmSync("dist", { recursive: true, force: true });
for (const [format, folder] of [
  ["es", "dist/esm"],
  ["cjs", "dist/cjs"],
]) {
  await build({
    configFile: false,
    logLevel: "warn",
    build: {
      outDir: folder,
      minify: false,
      target: "es2022",
      lib: { entry: sourceEntries(), formats: [format] },
      rolldownOptions: {
        external: (id) => !/^[./\0]/.test(id) && !isBundled(id, format),
        output: {
          preserveModules: true,
          preserveModulesRoot: "src",
          // npm leaves folders with this name out of packages.
          entryFileNames: ({ name }) => `${name.replace(/^.*node_modules\//, "vendor/")}.js`,
          exports: "named",
        },
      },
    },
  });
}
const types = ["--noEmit", "false", "--declaration", "--emitDeclarationOnly", "--rootDir", "src"];
execFileSync(process.execPath, [tsc, "-p", ".", ...types, "--outDir", "dist/esm"], {
  stdio: "inherit",
});
cpSync("dist/esm", "dist/cjs", {
  recursive: true,
  filter: (file) => !file.endsWith(".js"),
});
for (const licence of ["LICENSE-APACHE", "LICENSE-MIT"]) {
  cpSync(new URL(`../../${licence}`, import.meta.url), `dist/${licence}`);
}
writeFileSync("dist/cjs/package.json", '{ "type": "commonjs" }\n');
