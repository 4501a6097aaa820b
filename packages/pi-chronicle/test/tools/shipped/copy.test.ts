// Copies of shipped definitions: everything that a definition needs, and no file of the project is overwritten.
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import {
	type CopyRefusal,
	copyLines,
	copyShipped,
	lacksTests,
	type ShippedCopy,
} from "../../../src/tools/shipped/copy.ts";
import { shippedNames, shippedWorkflows } from "../../../src/tools/shipped/folders.ts";
import { openFolder } from "../../harness/folder.ts";
import { checkout } from "../../harness/under-test.ts";

const definitions = join(checkout, "packages/pi-chronicle/definitions");

function copied(name: string, cwd: string): ShippedCopy {
	const copy = copyShipped(name, cwd);
	if ("message" in copy) throw new Error(copy.message);
	return copy;
}
const refusal = (name: string, cwd: string) => copyShipped(name, cwd) as CopyRefusal;
const filesBelow = (folder: string): string[] =>
	readdirSync(folder, { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map((entry) => join(entry.parentPath, entry.name))
		.sort();
const below = (cwd: string, files: readonly string[]) => files.map((file) => relative(join(cwd, ".pi"), file)).sort();

describe.each(shippedNames())("a copy of %s", (name) => {
	const isWorkflow = shippedWorkflows().includes(name);

	it("is the definition with its agents and its scenario, unchanged", () => {
		const cwd = openFolder();
		const { kind, written, kept } = copied(name, cwd);
		expect([kind, kept, below(cwd, written)]).toEqual([
			isWorkflow ? "workflow" : "chronicle",
			[],
			below(cwd, filesBelow(cwd)),
		]);
		for (const path of below(cwd, written))
			expect(readFileSync(join(cwd, ".pi", path), "utf8")).toBe(readFileSync(join(definitions, path), "utf8"));
		const texts = written.map((file) => readFileSync(file, "utf8")).join("\n");
		const agents = isWorkflow
			? []
			: [...texts.matchAll(/\bagent: (\w[\w-]*)/g)].map(([, agent]) => `agents/${agent}.md`);
		const own = isWorkflow
			? readdirSync(join(definitions, "workflows", name)).map((file) => `workflows/${name}/${file}`)
			: [`chronicle/workflows/${name}.yaml`];
		const scenario = `rehearsals/${isWorkflow ? "workflows" : "chronicles"}/${name}.yaml`;
		expect(below(cwd, written)).toEqual([...new Set([...own, ...agents, scenario])].sort());
	});

	it("is refused if the project has one of that name, and nothing is written", () => {
		const mine = isWorkflow ? `.pi/workflows/${name}/x.md` : `.pi/chronicle/workflows/${name}.json`;
		const cwd = openFolder({ [mine]: "mine\n" });
		const { message } = refusal(name, cwd);
		expect(message).toMatch(/^\.pi\/\S+ exists already, so nothing was copied\.$/);
		expect(below(cwd, filesBelow(cwd))).toEqual([relative(".pi", mine)]);
	});

	it("uses an existing agent and scenario", () => {
		const empty = openFolder();
		const all = below(empty, copied(name, empty).written);
		const further = all.filter((path) => /^(?:agents|rehearsals)\//.test(path));
		const cwd = openFolder(Object.fromEntries(further.map((path) => [`.pi/${path}`, "mine\n"])));
		const { written, kept } = copied(name, cwd);
		expect([below(cwd, kept), below(cwd, written)]).toEqual([further, all.filter((path) => !further.includes(path))]);
		for (const path of further) expect(readFileSync(join(cwd, ".pi", path), "utf8")).toBe("mine\n");
	});
});

describe("the command of the project's tests", () => {
	it.each([
		["comments", "chronicle/workflows/comments.yaml"],
		["coverage", "chronicle/workflows/coverage.yaml"],
		["feature", "chronicle/workflows/feature.yaml"],
		["migration", "chronicle/workflows/migration.yaml"],
		["refactor", "chronicle/workflows/refactor.yaml"],
		["upgrade", "chronicle/workflows/upgrade.yaml"],
		["bug-hunt", "workflows/bug-hunt/repair.md"],
		["release", "workflows/release/prepare.md"],
	])("is named in a copy of %s", (name, path) => {
		const cwd = openFolder({ "go.mod": "module a\n" });
		expect(lacksTests(name, cwd)).toBe(false);
		const copy = copied(name, cwd);
		expect(copy.tests).toEqual({ file: join(cwd, ".pi", path), command: "go test ./..." });
		expect(copyLines(copy, cwd, true)).toContain(`The project's tests are run by: go test ./... (in .pi/${path})`);
		const text = readFileSync(join(cwd, ".pi", path), "utf8");
		expect(text).toContain('"go test ./..."');
		expect(text).not.toContain("{tests}");
	});

	it("is the given one, with every character; one that nobody knows is looked for in each run", () => {
		const given = openFolder({ "go.mod": "module a\n" });
		const line = 'make "a b" && echo $& \\';
		expect(copyShipped("feature", given, line)).toMatchObject({ tests: { command: line } });
		const file = join(given, ".pi/chronicle/workflows/feature.yaml");
		expect(parse(readFileSync(file, "utf8")).states.tests.command).toBe(line);
		const cwd = openFolder();
		expect(lacksTests("feature", cwd)).toBe(true);
		const open = copied("feature", cwd);
		expect(open.tests?.command).toBeNull();
		expect(copyLines(open, cwd, true).join("\n")).toContain("instead of {tests}");
		expect(lacksTests("review", cwd)).toBe(false);
		expect(copied("review", cwd).tests).toBeUndefined();
	});
});

it("an unknown name is refused with all names and the nearest", () => {
	const cwd = openFolder();
	const { message, remedy } = refusal("bug-hunnt", cwd);
	expect(message).toBe("The package has no definition `bug-hunnt`. Did you mean `bug-hunt`?");
	for (const name of shippedNames()) expect(remedy).toContain(name);
	expect(readdirSync(cwd)).toEqual([]);
});

it("written and kept files are listed, with the command that uses the definition", () => {
	const copy: ShippedCopy = { name: "docs", kind: "workflow", written: ["/p/.pi/a"], kept: ["/p/.pi/b"] };
	expect(copyLines(copy, "/p", true)).toEqual([
		"wrote .pi/a",
		"kept  .pi/b, which already existed",
		"The project's docs is used from now on: /workflow docs <task>. After a change: /rehearse workflow docs",
	]);
	expect(copyLines(copy, "/p", false).at(-1)).toContain("pi does not trust this project");
});
