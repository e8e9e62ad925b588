// Reads requests as JSON lines on stdin, writes one answer line for each.
import { once } from "node:events";
import { createInterface } from "node:readline";
import { answer } from "./answer.mjs";

function parse(line) {
  try {
    return JSON.parse(line);
  } catch (error) {
    return { kind: `unreadable line: ${error.message}` };
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  if (line === "") continue;
  const text = JSON.stringify(await answer(parse(line)));
  if (!process.stdout.write(`${text}\n`)) await once(process.stdout, "drain");
}
