import { defineConfig } from "vitest/config";

/** Measurements of the console in Chromium; they run alone, not with the tests. */
export default defineConfig({
  test: { include: ["tests/console.speed.ts"], testTimeout: 300_000, hookTimeout: 60_000 },
});
