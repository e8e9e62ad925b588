import { defineConfig } from "vitest/config";

export default defineConfig({
  // The packages of this workspace are tested from their sources, without a build.
  resolve: { conditions: ["pincite-source"] },
  ssr: { resolve: { conditions: ["pincite-source"] } },
  test: { include: ["packages/*/tests/**/*.test.{ts,tsx}", "console/src/**/*.test.{ts,tsx}"] },
});
