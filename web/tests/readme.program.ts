import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RunningProgram, startPincite } from "./programs.js";

/** Folder from which the packages of the workspace are found. */
const FOLDER = fileURLToPath(new URL("../node_modules/.readme", import.meta.url));
let pincite: RunningProgram;
beforeAll(async () => {
  mkdirSync(FOLDER, { recursive: true });
  pincite = await startPincite("--samples");
});
afterAll(async () => {
  rmSync(FOLDER, { recursive: true, force: true });
  await pincite?.stop();
});

describe("the example in the README of @pincite/client", () => {
  it("prints an answer with verified citations", () => {
    const readme = readFileSync(new URL("../packages/client/README.md", import.meta.url), "utf8");
    const code = /^```ts\n([\s\S]*?)^```$/m.exec(readme)?.[1] ?? "";
    const example = code.replace("http://127.0.0.1:8787", pincite.url);
    const options = { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext };
    const { outputText } = ts.transpileModule(example, { compilerOptions: options });
    writeFileSync(`${FOLDER}/example.mjs`, outputText);
    const output = execFileSync(process.execPath, [`${FOLDER}/example.mjs`], { encoding: "utf8" });
    expect(output).toContain("48,500 crowns per month");
    expect(output).toMatch(/^1 verified http/m);
    expect(output).toMatch(/^rent found$/m);
  });
});
