import { defineConfig } from "vitest/config";

/** Tests that run the programs of the project. Files run one after the other, because each starts processes. */
export default defineConfig({
  resolve: { conditions: ["pincite-source"] },
  ssr: { resolve: { conditions: ["pincite-source"] } },
  test: {
    include: ["packages/*/tests/**/*.program.{ts,tsx}", "tests/**/*.program.ts"],
    fileParallelism: false,
    testTimeout: 600_000,
    hookTimeout: 120_000,
  },
});
