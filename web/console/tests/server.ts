import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const BINARY =
  process.env.PINCITE_BINARY ??
  fileURLToPath(new URL("../../../target/debug/pincite", import.meta.url));

/** Running server with its own data. */
export interface TestServer {
  url: string;
  data: string;
  /** Ends the process without a chance to clean up, and starts another one with the same address and data. */
  crashAndRestart: () => Promise<void>;
  stop: () => Promise<void>;
}

/** Starts the real program with a demo agent, and with the agents at these addresses. */
export async function startServer(
  agents: Record<string, string> = {},
  flags: readonly string[] = [],
): Promise<TestServer> {
  const data = mkdtempSync(join(tmpdir(), "pincite-console-"));
  const upstreams = Object.entries(agents).flatMap(([name, url]) => [
    "--upstream",
    `${name}=${url}`,
  ]);
  const launch = (listen: string) =>
    launchProcess([
      ...["serve", "--demo", "--listen", listen, "--data", data],
      ...upstreams,
      ...flags,
    ]);
  let running = await launch("127.0.0.1:0");
  const { url } = running;
  return {
    url,
    data,
    crashAndRestart: async () => {
      await end(running.process, "SIGKILL");
      running = await launch(new URL(url).host);
    },
    stop: async () => {
      await end(running.process, "SIGTERM");
      rmSync(data, { recursive: true, force: true });
    },
  };
}

/** Starts a process and waits until it prints its address. */
function launchProcess(args: string[]): Promise<{ process: ChildProcess; url: string }> {
  const child = spawn(BINARY, args, { stdio: ["ignore", "ignore", "pipe"] });
  return new Promise((resolve, reject) => {
    let output = "";
    child.stderr.on("data", (chunk: Buffer) => {
      output += chunk.toString();
      const url = /http:\/\/[\d.]+:\d+/.exec(output)?.[0];
      if (url) resolve({ process: child, url });
    });
    child.on("error", reject);
    child.on("exit", (code) => reject(new Error(`The server ended with ${code}: ${output}`)));
  });
}

function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve();
    child.removeAllListeners("exit");
    child.on("exit", () => resolve());
    child.kill(signal);
  });
}

/** Runs a command of the program and returns what it prints. */
export function runCommand(args: string[]): Promise<string> {
  const child = spawn(BINARY, args);
  return new Promise((resolve, reject) => {
    let output = "";
    child.stdout.on("data", (chunk: Buffer) => {
      output += chunk.toString();
    });
    child.on("error", reject);
    child.on("exit", (code) => (code === 0 ? resolve(output) : reject(new Error(`exit ${code}`))));
  });
}

/** Waits until all documents of the library, which are read in the background, can be searched. */
export async function waitForLibrary({ url }: TestServer): Promise<void> {
  for (;;) {
    const response = await fetch(`${url}/documents`);
    const { items } = (await response.json()) as { items: { state: string }[] };
    if (items.length > 0 && items.every((item) => item.state === "ready")) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
