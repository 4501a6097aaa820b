// The guard's rules for the workers of a run: frozen once, and nothing starts while a file cannot be read as intended.
import { describe, expect, it } from "vitest";
import { freezeRunRules } from "../../../src/local/worker/rules.ts";
import { openFolder } from "../../harness/folder.ts";

const file = ".pi/damage-control-rules.yaml";
/** Freezes the rules of a project with this rule file. */
function freeze(text?: string) {
	const cwd = openFolder(text === undefined ? {} : { [file]: text });
	return freezeRunRules(cwd, `${cwd}/home`, `${cwd}/home/.pi/agent`);
}
/** A rule file with this many misspelled fields. */
const misspelled = (count: number) => Array.from({ length: count }, (_, n) => `zeroAcess${n}: [x]\n`).join("");

describe("the rules of a run", () => {
	it("are the built-in ones without a file, and others with one", () => {
		const [none, one] = [freeze(), freeze("zeroAccessPaths: [.env]\n")];
		expect([none, one]).toMatchObject([{ files: 0 }, { files: 1, text: expect.stringContaining(".env") }]);
		expect("hash" in none && "hash" in one && none.hash !== one.hash).toBe(true);
	});

	it.each([1, 5, 6, 8])("stop every launch where a file has %d problems; the first five are shown", (count) => {
		const frozen = freeze(misspelled(count));
		if (!("kind" in frozen)) throw new Error("frozen");
		expect(frozen.kind).toBe("unreadable");
		const shown = Array.from({ length: count }, (_, n) => frozen.detail.includes(`zeroAcess${n}`));
		expect(shown).toEqual(shown.map((_, n) => n < 5));
		expect(frozen.detail.endsWith(count > 5 ? `; and ${count - 5} more.` : ".")).toBe(true);
		expect(frozen.detail.includes(" more")).toBe(count > 5);
	});
});
