import { readFileSync } from "node:fs";

/** Returns the exported entries of the package in a folder that have a source, by path. */
export function exportedSources(folder = ".") {
  const { exports } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));
  return Object.entries(exports)
    .filter(([, target]) => typeof target === "object")
    .map(([path, target]) => ({ path, source: target["pincite-source"] }));
}

/** Returns the sources of the package in a folder by the name of their output. */
export function sourceEntries(folder = ".") {
  return Object.fromEntries(
    exportedSources(folder).map(({ source }) => [
      source.replace("./src/", "").replace(/\.tsx?$/, ""),
      source,
    ]),
  );
}
