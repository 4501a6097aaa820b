import { defineConfig } from "vitest/config";

export default defineConfig({
	test: {
		include: ["test/**/*.test.ts"],
		exclude: ["**/fixtures/**", "**/node_modules/**"],
		globalSetup: ["test/harness/stage.ts"],
		setupFiles: ["test/harness/setup.ts"],
		testTimeout: 30_000,
		hookTimeout: 30_000,
		pool: "forks",
		fileParallelism: true,
		maxWorkers: 3,
		unstubEnvs: true,
		// Real processes on a crowded machine are late now and then. The report names each test that needed its second try.
		retry: process.env.CI ? 1 : 0,
	},
});
