// The footprint against the real bash: whatever a generated command changes on disk was predicted.
import { spawnSync } from "node:child_process";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { needsProgram } from "../../pi-chronicle/test/harness/needs.ts";
import { patient } from "../../pi-chronicle/test/harness/patience.ts";
import { runs } from "../../pi-chronicle/test/harness/runs.ts";
import { computeFootprint, type FileAccess, type Footprint } from "../src/index.ts";
import { openRealBash, type RealBash } from "./real-bash.ts";
import { commands } from "./shell-commands.ts";

const hasBash = spawnSync("bash", ["-c", "exit 7"]).status === 7;
const tries = runs(1 / 3);
// The same commands every time, unless others are asked for: `CHRONICLE_SEED=any`.
const seed = process.env.CHRONICLE_SEED ?? "20250101";

let bash: RealBash;
beforeAll(() => {
	bash = openRealBash();
});
afterAll(() => bash.close());

function covers(touch: FileAccess, path: string): boolean {
	return [touch.path, touch.real].some((place) => path === place || (touch.recursive && path.startsWith(`${place}/`)));
}

/** What changed without having been predicted: paths, each with what happened to it. */
function surprises(footprint: Footprint, changed: readonly string[], gone: readonly string[]): string[] {
	const writes = footprint.accesses.filter(({ kind }) => kind === "write" || kind === "link");
	const deletes = footprint.accesses.filter(({ kind }) => kind === "delete");
	// Directories on the way to something written are made with it.
	const made = (path: string) =>
		writes.some(({ path: place, real }) => `${place}/`.startsWith(`${path}/`) || `${real}/`.startsWith(`${path}/`));
	return [
		...changed
			.filter((path) => !writes.some((touch) => covers(touch, path)) && !made(path))
			.map((path) => `written: ${path}`),
		...gone.filter((path) => !deletes.some((touch) => covers(touch, path))).map((path) => `deleted: ${path}`),
	];
}

/** Whether the footprint says itself that it does not know what may be written or deleted. */
function admitsDoubt({ unknowns }: Footprint): boolean {
	return unknowns.some(({ may }) => may.includes("write") || may.includes("delete"));
}

describe("the real bash", needsProgram("bash", hasBash), () => {
	it("changes nothing that was not predicted", { timeout: patient(tries * 1_200) }, () => {
		let doubts = 0;
		fc.assert(
			fc.property(commands, (command) => {
				const footprint = computeFootprint({ tool: "bash", input: { command } }, bash.prepare());
				const { changed, gone } = bash.run(command);
				const unexpected = surprises(footprint, changed, gone);
				if (unexpected.length > 0 && admitsDoubt(footprint)) {
					doubts++;
					return;
				}
				expect(unexpected, command).toEqual([]);
			}),
			{ numRuns: tries, ...(seed !== "any" && { seed: Number(seed) }) },
		);
		// Saying "unknown" to everything would pass as well.
		expect(doubts).toBeLessThan(tries / 10);
	});
});
