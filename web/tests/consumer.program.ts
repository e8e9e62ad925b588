import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";

const WEB = fileURLToPath(new URL("..", import.meta.url));
const PACKAGES = ["client", "agui", "react"];
const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** Renders an answer with a verified citation and prints the version of React and the HTML. */
const RENDER = `
import { ResponseStream } from "@pincite/react";
import { createElement, version } from "react";
import { renderToStaticMarkup } from "react-dom/server";
const entry = {
  messageId: "m",
  citations: { k: { fullPhrase: "Built in 1911", citationNumber: 1 } },
  verifications: { k: { status: "found" } },
  summary: { total: 1, verified: 1, partial: 0, missed: 0, pending: 0 },
  status: "complete",
};
const message = { id: "m", role: "assistant", content: "In 1911 [1]." } as const;
const state = { deepcitation: { messages: { m: entry } } };
console.log(version, renderToStaticMarkup(createElement(ResponseStream, { message, state })));
`;

/** Runs a program and returns what it prints; throws with it if the program fails. */
function run(folder: string, command: string, ...args: string[]): string {
  try {
    return execFileSync(command, args, { cwd: folder, encoding: "utf8", stdio: "pipe" });
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error(`${command} ${args.join(" ")} failed:\n${stdout}${stderr}`);
  }
}

/** Returns the examples in a README that are TypeScript. */
function readExamples(name: string): string[] {
  const readme = readFileSync(join(WEB, "packages", name, "README.md"), "utf8");
  return [...readme.matchAll(/^```tsx?\n([\s\S]*?)^```$/gm)].map(([, code]) => code ?? "");
}

/** Creates a project with the packages as npm publishes them, and with the examples of their READMEs. */
function createProject(react: string): string {
  const folder = mkdtempSync(join(tmpdir(), "pincite-consumer-"));
  folders.push(folder);
  const tarballs = PACKAGES.map((name) => {
    const [file] = JSON.parse(
      run(join(WEB, "packages", name), "npm", "pack", "--json", "--pack-destination", folder),
    ) as [{ filename: string }];
    return [`@pincite/${name}`, `file:${file.filename}`];
  });
  const dependencies = {
    ...Object.fromEntries(tarballs),
    "@ag-ui/client": "1.0.0",
    react,
    "react-dom": react,
    "@types/react": react.startsWith("18") ? "^18.3.0" : "^19.0.0",
    "@types/react-dom": react.startsWith("18") ? "^18.3.0" : "^19.0.0",
    "@types/node": "^20.19.0",
  };
  writeFileSync(
    join(folder, "package.json"),
    JSON.stringify({ private: true, type: "module", dependencies, overrides: dependencies }),
  );
  const options = {
    target: "ES2022",
    lib: ["ES2023", "DOM", "DOM.Iterable"],
    module: "NodeNext",
    jsx: "react-jsx",
    strict: true,
    // Examples of the specification have parameters without types.
    noImplicitAny: false,
    noEmit: true,
    skipLibCheck: true,
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions: options }));
  writeFileSync(
    join(folder, "styles.d.ts"),
    'declare module "*.css" {\n  const url: string;\n  export default url;\n}\n',
  );
  for (const name of PACKAGES) {
    readExamples(name).forEach((code, position) => {
      writeFileSync(join(folder, `${name}-${position}.tsx`), `${code}\nexport {};\n`);
    });
  }
  const entries = [
    "@pincite/client",
    "@pincite/agui",
    "@pincite/agui/agent",
    "@pincite/agui/react",
  ];
  const all = [...entries, "@pincite/react"];
  const imports = all.map((entry, position) => `import * as m${position} from "${entry}";`);
  const modules = all.map((_, position) => `m${position}`);
  const count =
    'Object.keys(module).filter((name) => !["default", "__esModule"].includes(name)).length';
  const code = `${imports.join("\n")}\nconsole.log([${modules}].map((module) => ${count}).join(" "));\n`;
  writeFileSync(join(folder, "load.mts"), code);
  writeFileSync(join(folder, "load.cts"), code);
  writeFileSync(join(folder, "render.mts"), RENDER);
  run(folder, "npm", "install", "--no-audit", "--no-fund", "--prefer-offline");
  return folder;
}

describe("packages from npm pack", () => {
  for (const react of ["18.3.1", "19.3.1"]) {
    it(`install, type-check and load in a new project with React ${react}`, () => {
      const folder = createProject(react);
      expect(readExamples("agui").length).toBeGreaterThan(2);
      const tsc = join(WEB, "node_modules/typescript/bin/tsc");
      run(folder, process.execPath, tsc, "-p", ".");
      run(folder, process.execPath, tsc, "-p", ".", "--noEmit", "false", "--outDir", "out");
      const loaded = ["load.mjs", "load.cjs"].map((file) =>
        run(folder, process.execPath, join(folder, "out", file)).trim(),
      );
      expect(loaded[0]).toMatch(/^\d+( \d+){4}$/);
      expect(loaded[0]).not.toContain(" 0");
      expect(loaded[1]).toBe(loaded[0]);
      const html = run(folder, process.execPath, join(folder, "out", "render.mjs"));
      expect(html).toContain(`${react} <div data-response-stream="">`);
      expect(html).toContain('aria-label="Citation 1, verified"');
    });
  }
});
