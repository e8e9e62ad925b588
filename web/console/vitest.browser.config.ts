import { defineConfig } from "vitest/config";

/** Tests in Chromium against the real program. Files run one after the other, because each has its own processes. */
export default defineConfig({
  test: {
    include: ["tests/**/*.browser.ts"],
    fileParallelism: false,
    testTimeout: 180_000,
    hookTimeout: 60_000,
  },
});
