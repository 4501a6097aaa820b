// Time of a judgement by shapes of text. `bench/shapes.ts` tries thousands; this is a sample of them.
import { afterAll, describe, expect, it } from "vitest";
import { cpuMs } from "../../pi-chronicle/test/harness/cpu.ts";
import { patient, within } from "../../pi-chronicle/test/harness/patience.ts";
import { deep } from "../../pi-chronicle/test/harness/runs.ts";
import { openSetting, starterRules } from "../../pi-chronicle/test/safety/guard/guarded-project.ts";
import { makeText, randomNumbers } from "./shapes.ts";

/** CPU time (ms) of one judgement that shows growth without a bound: several times what the bench allows on a quiet machine. */
const MOST = within(400);

describe("a judgement of up to 64 KB in any shape", () => {
	const setting = openSetting(starterRules);
	afterAll(() => setting.close());

	it("takes bounded CPU time", { timeout: patient(60_000) }, async () => {
		const slow: string[] = [];
		for (let seed = 0; seed < (deep ? 600 : 120); seed++) {
			const command = makeText(randomNumbers(seed));
			const ms = await cpuMs(() => setting.bash(command));
			if (ms > MOST) slow.push(`${seed}: ${ms} ms, ${command.slice(0, 100)}`);
		}
		expect(slow).toEqual([]);
	});

	it.each([
		["a path of 2,000 segments", `rm -rf ${"a/".repeat(2000)}`],
		["a path of 2,000 segments with a link to follow", `cat lnk/${"x/../".repeat(800)}`],
		["4,000 names for an archive", `tar cf x ${Array.from({ length: 4000 }, (_, index) => `f${index}`).join(" ")}`],
		["1,000 directories of git", `git ${"-C src ".repeat(1000)}status`],
		["here-documents without an end", "x=<<0 ".repeat(9000)],
	])("%s takes bounded CPU time, and is not judged harmless beyond a bound", async (_name, command) => {
		expect(await cpuMs(() => setting.bash(command))).toBeLessThan(MOST);
		expect((await setting.bash(command)).decision).not.toBe("allow");
	});
});
