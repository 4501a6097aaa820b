import { defineConfig } from "vitest/config";
import { DeepFirst } from "./packages/pi-chronicle/test/harness/deep-first.ts";
import { SkippedTests } from "./packages/pi-chronicle/test/harness/skipped.ts";

// `--mode deep` (npm run test:deep) adds the files named *.deep.test.ts, and tries of everything that is random.
export default defineConfig(({ mode }) => {
	const deep = mode === "deep";
	return {
		test: {
			include: ["packages/*/test/**/*.test.ts"],
			exclude: ["**/fixtures/**", "**/node_modules/**", ...(deep ? [] : ["**/*.deep.test.ts"])],
			env: deep ? { CHRONICLE_DEEP: "1" } : {},
			globalSetup: ["packages/pi-chronicle/test/harness/stage.ts"],
			setupFiles: ["packages/pi-chronicle/test/harness/setup.ts"],
			reporters: ["default", new SkippedTests()],
			testTimeout: 30_000,
			hookTimeout: 30_000,
			// Not Vitest's 1 s: what a loaded machine does later than that is not a failure.
			expect: { poll: { timeout: 60_000 } },
			pool: "forks",
			// What a test changes of its process it changes back: a process per file would load everything anew 190 times.
			isolate: false,
			maxWorkers: deep ? 4 : 3,
			sequence: { sequencer: DeepFirst },
			unstubEnvs: true,
		},
	};
});
