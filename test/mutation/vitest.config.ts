// How mutants are tried: the pure tests of one room, without a staged package, the first failure ends it.
import { defineConfig } from "vitest/config";

export default defineConfig({
	test: {
		setupFiles: ["test/harness/setup.ts"],
		pool: "threads",
		isolate: false,
		maxWorkers: 1,
		bail: 1,
		testTimeout: 30_000,
	},
});
