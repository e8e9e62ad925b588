import { defineConfig } from "vitest/config";

export default defineConfig({
  test: { include: ["packages/*/tests/**/*.test.{ts,tsx}", "console/src/**/*.test.{ts,tsx}"] },
});
