// JavaScript client of the benchmark: HttpAgent.runAgent of @ag-ui/client, a fresh agent per run.
//
// usage: node client.mjs URL CLIENTS MIN_SECONDS

import { HttpAgent } from "@ag-ui/client";

/** CPU seconds before the timed part. */
const WARM_UP = 2;

const [url, clients, seconds] = process.argv.slice(2);
if (!url || !(Number(clients) > 0) || !Number.isFinite(Number(seconds))) {
  console.error("usage: node client.mjs URL CLIENTS MIN_SECONDS");
  process.exit(1);
}

function cpuSince(start) {
  const used = process.cpuUsage(start);
  return (used.user + used.system) / 1e6;
}

let events = 0;

/** One run; counts its events, and fails if it did not end well. */
async function run(counted) {
  const agent = new HttpAgent({ url });
  let finished = false;
  const subscriber = counted && {
    onEvent: () => void (events += 1),
    onRunFinishedEvent: () => void (finished = true),
  };
  await agent.runAgent({}, subscriber);
  if (agent.messages.length !== 1 || (counted && !finished)) throw new Error("an unfinished run");
}

/** Runs on every client until so much CPU time is used; open runs are finished. */
async function window(minSeconds) {
  const start = process.cpuUsage();
  let runs = 0;
  const client = async () => {
    while (cpuSince(start) < minSeconds) {
      await run(false);
      runs += 1;
    }
  };
  await Promise.all(Array.from({ length: Number(clients) }, client));
  return { runs, cpu: cpuSince(start) };
}

await run(true); // subscribers cost time: no other run has one
await window(WARM_UP);
const { runs, cpu } = await window(Number(seconds));
const line = {
  mode: "consume",
  events,
  iterations: runs,
  cpu_seconds: Number(cpu.toFixed(6)),
  peak_rss_mb: Number((process.resourceUsage().maxRSS / 1024).toFixed(1)),
};
console.log(JSON.stringify(line));
process.exit(0); // the kept-alive connections would hold the process
