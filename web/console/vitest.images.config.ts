import { defineConfig } from "vitest/config";

/** Draws the pictures of the console; it uses the runner of the tests. */
export default defineConfig({
  test: { include: ["tests/console.images.ts"], testTimeout: 300_000, hookTimeout: 60_000 },
});
