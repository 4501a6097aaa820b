// How mutants are tried: the pure tests of one room, without a staged package, in the order in which they are given; the first failure ends it.
import { defineConfig } from "vitest/config";

export default defineConfig({
	test: {
		setupFiles: ["packages/pi-chronicle/test/harness/setup.ts"],
		exclude: ["**/*.deep.test.ts", "**/node_modules/**"],
		pool: "threads",
		isolate: false,
		maxWorkers: 1,
		bail: 1,
		testTimeout: 30_000,
		silent: true,
		// A mutant is not on disk, so compiled files must not be kept by what is on disk.
		fsModuleCache: false,
		sequence: {
			sequencer: class {
				sort = async <File>(files: File[]) => files;
				shard = async <File>(files: File[]) => files;
			},
		},
	},
});
