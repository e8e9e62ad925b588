// Drives the example in Chromium against the real program.
// Usage: node test/drive.mjs [PINCITE]   (after `npm run build`)
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { chromium } from "playwright-core";
import { startAgent } from "./agent.mjs";

const here = new URL("..", import.meta.url).pathname;
const program = process.argv[2] ?? join(here, "../../target/debug/pincite");
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css" };

/** Serves the built page on a free port. */
async function servePage() {
    const server = createServer(async (request, response) => {
        const path = new URL(request.url, "http://localhost").pathname;
        const file = join(here, "dist", path === "/" ? "index.html" : path);
        try {
            const content = await readFile(file);
            response.writeHead(200, { "content-type": TYPES[extname(file)] ?? "application/octet-stream" });
            response.end(content);
        } catch {
            response.writeHead(404).end();
        }
    });
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    return { url: `http://127.0.0.1:${server.address().port}/`, close: () => server.close() };
}

/** Starts the program and returns its address. */
async function startPincite(...upstreams) {
    const args = ["serve", "--in-memory", "--listen", "127.0.0.1:0", "--log-format", "json", ...upstreams];
    const child = spawn(program, args, { stdio: ["ignore", "ignore", "pipe"] });
    const url = await new Promise((resolve, reject) => {
        let text = "";
        child.stderr.on("data", (chunk) => {
            text += chunk;
            const line = text.split("\n").find((line) => line.includes('"started"'));
            if (line) resolve(JSON.parse(line).url);
        });
        child.on("exit", () => reject(new Error(text)));
    });
    return { url, close: () => child.kill() };
}

const [page, agent] = await Promise.all([servePage(), startAgent()]);
const pincite = await startPincite("--upstream", `default=${agent.url}`);
const form = new FormData();
form.set("file", new Blob(["The quay is 84 metres long and made of oak.\n"]), "quay.md");
assert.equal((await fetch(`${pincite.url}/documents`, { method: "POST", body: form })).status, 201);

const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox"],
});
const tab = await browser.newPage();
const foreign = [];
tab.on("request", (request) => {
    const { hostname, protocol } = new URL(request.url());
    if (protocol.startsWith("http") && hostname !== "127.0.0.1") foreign.push(request.url());
});
const failures = [];
tab.on("pageerror", (error) => failures.push(error.message));

/** Sends a message in the sidebar. */
async function ask(text) {
    const field = tab.getByPlaceholder(/Type a message/i);
    await field.fill(text);
    await field.press("Enter");
}

/** Loads the page with a runtime and a thread. */
async function open(path, thread) {
    const query = new URLSearchParams({ runtime: `${pincite.url}${path}`, thread });
    await tab.goto(`${page.url}?${query}`);
    await tab.getByPlaceholder(/Type a message/i).waitFor();
}

try {
    for (const path of ["/copilotkit", "/api/v1/copilotkit"]) {
        const thread = `thread-${path.length}`;
        await open(path, thread);
        await ask("How long is the quay?");
        await tab.getByRole("button", { name: "Source 1: verified" }).click();
        const evidence = tab.getByRole("region", { name: "Evidence" });
        await evidence.getByRole("link", { name: /quay\.md, page 1/ }).waitFor();
        await evidence.getByRole("img").waitFor();
        await tab.getByRole("button", { name: "Source 2: not found" }).waitFor();
        assert.equal(await tab.getByText("CITATION_DATA").count(), 0, "the data block is hidden");
        // A reload restores the conversation and its results.
        await open(path, thread);
        await tab.getByText("How long is the quay?").waitFor();
        await tab.getByRole("button", { name: "Source 1: verified" }).waitFor();
    }

    await open("/copilotkit", "actions");
    await ask("What is the page called?");
    await tab.getByText(/The page is called .*Harbour notes/).waitFor();
    await ask("Please add a note");
    await tab.getByRole("list", { name: "Notes" }).getByText("Measure the tide").waitFor();
    await tab.getByText("Result: Added note 2").waitFor();
    await ask("The first is done");
    await tab.getByText("✓ Check the length of the quay").waitFor();
    await ask("Now rename it");
    await tab.getByRole("heading", { name: "Tide notes" }).waitFor();
    await ask("Please remove the first");
    await tab.getByRole("button", { name: "Remove", exact: true }).waitFor();
    // A question that waits for the user is restored by a reload.
    await open("/copilotkit", "actions");
    await tab.getByRole("button", { name: "Remove", exact: true }).click();
    await tab.getByText("Result: removed").waitFor();
    assert.equal(await tab.getByText("Check the length of the quay").count(), 0);
    assert.deepEqual(failures, []);
    assert.deepEqual(foreign, [], "no request leaves this machine");
    console.log("ok");
} catch (error) {
    await tab.screenshot({ path: join(here, "failed.png") });
    console.error(await tab.locator("body").innerText());
    throw error;
} finally {
    await browser.close();
    pincite.close();
    agent.close();
    page.close();
}
