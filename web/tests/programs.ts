import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { preview } from "vite";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const BINARY = process.env.PINCITE_BINARY ?? join(ROOT, "target/debug/pincite");

/** Program that runs until it is stopped. */
export interface RunningProgram {
  url: string;
  stop: () => Promise<void>;
}

/** Starts a program and waits until it prints its address. */
export function startProgram(
  command: string,
  args: readonly string[],
  options: { cwd?: string; env?: Record<string, string> } = {},
): Promise<RunningProgram> {
  const env = { ...process.env, ...options.env };
  const child = spawn(command, args, { cwd: options.cwd ?? ROOT, env, stdio: "pipe" });
  return new Promise((resolve, reject) => {
    let output = "";
    const read = (chunk: Buffer) => {
      output += chunk.toString();
      const url = /http:\/\/127\.0\.0\.1:\d+/.exec(output)?.[0];
      if (url) resolve({ url, stop: () => end(child) });
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    child.on("error", reject);
    child.on("exit", (code) => reject(new Error(`${command} ended with ${code}: ${output}`)));
  });
}

function end(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve();
    child.removeAllListeners("exit");
    child.on("exit", () => resolve());
    child.kill("SIGTERM");
  });
}

/** Starts the server with new data. */
export async function startPincite(...args: string[]): Promise<RunningProgram> {
  const data = mkdtempSync(join(tmpdir(), "pincite-example-"));
  const program = await startProgram(BINARY, [
    "serve",
    "--listen",
    "127.0.0.1:0",
    "--data",
    data,
    ...args,
  ]);
  const stop = async () => {
    await program.stop();
    rmSync(data, { recursive: true, force: true });
  };
  return { url: program.url, stop };
}

/** Returns the folder of an example, with its packages installed. */
export function installExample(name: string): string {
  const folder = join(ROOT, "examples", name);
  const isInstalled = existsSync(join(folder, "node_modules/.package-lock.json"));
  if (!isInstalled) run(folder, "npm", "ci", "--no-audit", "--no-fund", "--prefer-offline");
  return folder;
}

/** Builds the page of an example and serves it. Addresses are those that its vite.config.ts reads. */
export async function serveExample(
  name: string,
  addresses: Record<string, string>,
): Promise<RunningProgram> {
  const root = installExample(name);
  run(root, "npm", "run", "build");
  Object.assign(process.env, addresses);
  const server = await preview({
    root,
    logLevel: "error",
    preview: { port: 0, host: "127.0.0.1" },
  });
  return {
    url: server.resolvedUrls?.local[0]?.replace(/\/$/, "") ?? "",
    stop: () => server.close(),
  };
}

function run(cwd: string, command: string, ...args: string[]): void {
  execFileSync(command, args, { cwd, stdio: "pipe" });
}
