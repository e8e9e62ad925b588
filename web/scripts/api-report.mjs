// Writes the public API of each package to its api.txt. With --check it compares instead, and fails if they differ.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import ts from "typescript";
import { sourceEntries } from "./package-entries.mjs";

const isCheck = process.argv.includes("--check");
const printer = ts.createPrinter({ removeComments: true, omitTrailingSemicolon: false });

/** Returns the exported declarations of a file with types, sorted by name. */
function exportedDeclarations(program, file) {
  const checker = program.getTypeChecker();
  const module = checker.getSymbolAtLocation(program.getSourceFile(file));
  const lines = checker.getExportsOfModule(module).map((symbol) => {
    const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
    const texts = (target.declarations ?? []).map((declaration) => {
      const isVariable = ts.isVariableDeclaration(declaration);
      const node = isVariable ? declaration.parent.parent : declaration;
      return printer.printNode(ts.EmitHint.Unspecified, node, declaration.getSourceFile());
    });
    const alias = target.name === symbol.name ? "" : `${symbol.name} = `;
    return { name: symbol.name, text: alias + texts.join("\n") };
  });
  return lines.sort((a, b) => (a.name < b.name ? -1 : 1)).map(({ text }) => text);
}

let isDifferent = false;
for (const name of ["client", "agui", "react", "agent"]) {
  const folder = `packages/${name}`;
  const entries = Object.keys(sourceEntries(folder));
  const files = entries.map((entry) => `${folder}/dist/esm/${entry}.d.ts`);
  const program = ts.createProgram(files, {
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    module: ts.ModuleKind.ESNext,
    skipLibCheck: true,
    types: [],
  });
  const sections = entries.map(
    (entry, position) =>
      `# ${entry}\n\n${exportedDeclarations(program, files[position]).join("\n\n")}\n`,
  );
  const report = sections.join("\n");
  const path = `${folder}/api.txt`;
  const before = existsSync(path) ? readFileSync(path, "utf8") : "";
  if (report === before) continue;
  isDifferent = true;
  if (isCheck) console.error(`${path} is not the API of the package.`);
  else writeFileSync(path, report);
}
if (isCheck && isDifferent) {
  console.error(
    "Run `npm run api` in web/ and read the difference: it is what users of the package see.",
  );
  process.exit(1);
}
