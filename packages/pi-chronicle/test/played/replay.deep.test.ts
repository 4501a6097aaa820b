// Replays every recorded play on the current texts: each run goes as before, however its requests read now.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { checkout, openProject, packageUnderTest, piScript, runNode } from "../harness/index.ts";
import { patient } from "../harness/patience.ts";
import { makeProject } from "./make-project.mjs";

const folder = join(checkout, "packages", "pi-chronicle", "test", "played");
const transcripts = readdirSync(folder).filter((name) => name.endsWith(".yaml"));

it("the project of all plays has the same commits everywhere", () => {
	const project = openProject({ name: "tally" });
	makeProject(project.folder);
	expect(project.git("log", "--format=%h %s")).toMatchInlineSnapshot(`
		"78e3547 Add the next version of tiny-args, and last night's log
		eff54e5 Print only the largest categories with --top
		08f9d2f Add up expenses by category
		"
	`);
	expect(project.git("status", "--short")).toBe(" M src/cli.js\n?? src/filter.js\n");
});

/** Percent of all characters that the package wrote. */
function shareIn(transcript: string): number {
	const { characters, ownCharacters } = (parse(transcript) as { figures: Record<string, number> }).figures;
	return ((ownCharacters ?? Number.NaN) / (characters ?? Number.NaN)) * 100;
}

it("every play goes as before, and at most 15 % of what a run of `feature` sends is text of the package", {
	timeout: patient(120_000 + transcripts.length * 40_000),
}, async () => {
	const left = [...transcripts];
	const failed: string[] = [];
	const shares = new Map<string, number>();
	const replayOn = async (): Promise<void> => {
		for (let name = left.shift(); name !== undefined; name = left.shift()) {
			const project = openProject({ name: "tally" });
			makeProject(project.folder);
			const { code, stdout, stderr } = await runNode(
				project,
				[packageUnderTest().cli, "rehearse", "--replay", join(folder, name), "--transcript", project.path(name)],
				{ env: { PI_CHRONICLE_PI: piScript() }, timeout: patient(240_000) },
			);
			if (code !== 0) failed.push(`${name} (exit code ${code})\n${stdout}\n${stderr}`);
			else shares.set(name, shareIn(project.read(name)));
		}
	};
	await Promise.all([replayOn(), replayOn()]);
	expect(failed).toEqual([]);
	expect(shares.size).toBe(transcripts.length);
	expect(shares.get("feature-1.yaml")).toBeLessThanOrEqual(15);
});
