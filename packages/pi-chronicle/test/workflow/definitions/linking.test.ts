// References between workflows: missing ones, cycles, and no loss of anything else.
import { rmSync } from "node:fs";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { loadCatalogue } from "../../../src/workflow/definitions/index.ts";
import { cpuMs } from "../../harness/cpu.ts";
import { within } from "../../harness/patience.ts";
import { keys, makeTree, openTree, type TreeFiles, workflowFiles } from "./tree.ts";

function graph(edges: Record<string, string>): TreeFiles {
	return Object.assign(
		{},
		...Object.entries(edges).map(([key, entries]) => workflowFiles(`global/${key}`, entries.split(" "))),
	);
}

describe("missing references", () => {
	it("remove the referring workflow, and those that refer to it, with one diagnostic each", () => {
		const tree = openTree(graph({ A: "@B", B: "@C", C: "@Z", D: "p" }));
		const catalogue = tree.load();
		expect(keys(catalogue)).toEqual(["D"]);
		expect(tree.lines(catalogue.diagnostics)).toEqual([
			expect.stringMatching(/^global\/A\/workflow.yaml:5:5 Workflow `A` runs `B`, which does not load/),
			expect.stringMatching(/^global\/B\/workflow.yaml:5:5 Workflow `B` runs `C`, which does not load/),
			expect.stringMatching(/^global\/C\/workflow.yaml:5:5 Workflow `C` runs `Z`, but there is no such workflow/),
		]);
		expect([...catalogue.rejected.values()].map(({ key, diagnostics }) => [key, diagnostics.length])).toEqual([
			["A", 1],
			["B", 1],
			["C", 1],
		]);
	});

	it("include references to a broken workflow", () => {
		const tree = openTree({ ...graph({ A: "@B", B: "@C" }), "global/C/workflow.yaml": "name: [" });
		expect(keys(tree.load())).toEqual([]);
	});

	it("suggest the closest name", () => {
		const tree = openTree(graph({ parent: "@code-reveiw", "code-review": "p" }));
		expect(tree.lines(tree.load().diagnostics)[0]).toContain("Did you mean `code-review`?");
	});

	it("are reported one by one for one workflow, repeated ones once", () => {
		const tree = openTree(graph({ A: "@X @Y @X" }));
		expect(tree.load().diagnostics.map(({ line, code }) => [line, code])).toEqual([
			[5, "missing-reference"],
			[6, "missing-reference"],
		]);
	});

	it("are resolved across tiers: a project's child replaces the global one for global parents", () => {
		const tree = openTree({
			...workflowFiles("global/parent", ["@child"]),
			...workflowFiles("global/child", ["a"]),
			...workflowFiles("project/child", ["b"]),
			...workflowFiles("project/own", ["@parent"]),
		});
		const { definitions } = tree.load();
		expect([...definitions.keys()]).toEqual(["child", "own", "parent"]);
		expect(definitions.get("child")?.tier).toBe("project");
	});
});

describe("reference cycles", () => {
	it.each([
		["itself", { A: "@A", D: "p" }, ["A → A"]],
		["each other", { A: "@B", B: "@A", D: "p" }, ["A → B → A", "B → A → B"]],
		["in a ring", { A: "@B", B: "@C", C: "@A", D: "p" }, ["A → B → C → A", "B → C → A → B", "C → A → B → C"]],
		["with two ways back", { A: "@B", B: "@C", C: "@B @A", D: "p" }, ["A → B → C → A", "B → C → B", "C → B → C"]],
		[
			"in two rings",
			{ A: "@B", B: "@A", C: "@E", E: "@C", D: "p" },
			["A → B → A", "B → A → B", "C → E → C", "E → C → E"],
		],
	])("remove workflows that run %s, with the cycle shown", (_, edges, ways) => {
		const tree = openTree(graph(edges));
		const catalogue = tree.load();
		expect(keys(catalogue)).toEqual(["D"]);
		expect(catalogue.diagnostics.map(({ code, message }) => [code, message.replace(/.*: (.*)\.$/, "$1")])).toEqual(
			ways.map((way) => ["loop", way]),
		);
		expect(catalogue.diagnostics[0]?.line).toBe(5);
	});

	it("remove workflows that refer into them, but not shared ones outside", () => {
		const tree = openTree(graph({ A: "@B @C", B: "@D", C: "@D @D", D: "p", X: "@Y", Y: "@Y", Z: "q" }));
		expect(keys(tree.load())).toEqual(["A", "B", "C", "D", "Z"]);
	});

	it("and long chains and dense graphs take linear time", async () => {
		const size = 400;
		const ring = graph(
			Object.fromEntries(Array.from({ length: size }, (_, index) => [`r${index}`, `@r${(index + 1) % size}`])),
		);
		const chain = graph(
			Object.fromEntries(Array.from({ length: size }, (_, index) => [`c${index}`, `@c${index + 1}`])),
		);
		const dense = graph(
			Object.fromEntries(
				Array.from({ length: 60 }, (_, index) => [
					`d${index}`,
					Array.from({ length: 60 }, (_, other) => `@d${other}`).join(" "),
				]),
			),
		);
		const tree = openTree({ ...ring, ...chain, ...dense, ...workflowFiles("global/good", ["p"]) });
		let catalogue = openTree({}).load();
		const ms = await cpuMs(() => {
			catalogue = tree.load();
		});
		expect(ms).toBeLessThan(within(15_000));
		expect(keys(catalogue)).toEqual(["good"]);
		expect(catalogue.rejected.size).toBe(2 * size + 60);
		const longest = Math.max(...catalogue.diagnostics.map(({ message }) => message.length));
		expect(longest).toBeLessThan(500);
	});

	it("do not include deep nesting, which loads", () => {
		const depth = 300;
		const tree = openTree({
			...graph(Object.fromEntries(Array.from({ length: depth }, (_, index) => [`n${index}`, `@n${index + 1}`]))),
			...workflowFiles(`global/n${depth}`, ["p"]),
		});
		expect(tree.load().definitions.size).toBe(depth + 1);
	});
});

describe("any set of definitions", () => {
	const tree = makeTree();
	afterAll(() => rmSync(tree.folder, { recursive: true, force: true }));
	const names = ["a", "b", "c", "d", "e", "f"];
	const entry = fc.oneof(fc.constantFrom(...names.map((name) => `@${name}`), "@missing"), fc.constantFrom("p", "q"));
	const workflow = fc.record({
		tier: fc.constantFrom("global", "project"),
		place: fc.constantFrom("", "_shared/"),
		key: fc.constantFrom(...names),
		entries: fc.array(entry, { minLength: 1, maxLength: 4 }),
		fields: fc.constantFrom<Record<string, string | null>>(
			{},
			{},
			{},
			{ show: "workflows" },
			{ show: "hidden" },
			{ commandName: "same" },
		),
	});

	it("resolves to references without cycles, and reports the reason for everything removed", () => {
		fc.assert(
			fc.property(fc.array(workflow, { maxLength: 9 }), (workflows) => {
				for (const root of ["global", "project"]) rmSync(`${tree.folder}/${root}`, { recursive: true, force: true });
				const written = new Set<string>();
				for (const { tier, place, key, entries, fields } of workflows) {
					tree.write(workflowFiles(`${tier}/${place}${key}`, entries, fields));
					written.add(key);
				}
				const catalogue = loadCatalogue(tree.roots);
				const { definitions, rejected, commands } = catalogue;
				for (const definition of definitions.values())
					for (const part of definition.entries)
						if (part.kind === "reference") expect(definitions.has(part.key)).toBe(true);
				const depths = new Map<string, number>();
				const depth = (key: string, above: number): number => {
					expect(above).toBeLessThan(20);
					const known = depths.get(key);
					if (known !== undefined) return known;
					const parts = definitions.get(key)?.entries ?? [];
					const found =
						1 + Math.max(0, ...parts.map((part) => (part.kind === "reference" ? depth(part.key, above + 1) : 0)));
					depths.set(key, found);
					return found;
				};
				for (const key of definitions.keys()) depth(key, 0);
				for (const key of written) {
					expect(definitions.has(key) !== rejected.has(key)).toBe(true);
					const said = rejected.get(key)?.diagnostics;
					if (said) expect(said.some(({ severity }) => severity === "error")).toBe(true);
					for (const diagnostic of said ?? []) expect(catalogue.diagnostics).toContainEqual(diagnostic);
				}
				for (const [command, definition] of commands) {
					expect(definitions.get(definition.key)).toBe(definition);
					expect(definition.commandName).toBe(command);
				}
				expect(loadCatalogue(tree.roots)).toEqual(catalogue);
			}),
		);
	});

	it("never throws, regardless of the bytes in its files", () => {
		const piece = fc.oneof(
			fc.uint8Array({ maxLength: 30 }),
			fc
				.constantFrom(
					"name: x\n",
					"phases:\n",
					"  - p.md\n",
					"  - subworkflow: a\n",
					"---\n",
					"id: p\n",
					"emoji: e\n",
					"tools:\n",
					"  blacklist: ",
					"[edit]\n",
					"&a ",
					"*a ",
					"\t",
					'"',
					"{",
					": ",
					"\r\n",
					"\ufeff",
				)
				.map((text) => Buffer.from(text)),
		);
		const bytes = fc.array(piece, { maxLength: 12 }).map((pieces) => Buffer.concat(pieces));
		fc.assert(
			fc.property(bytes, bytes, (yaml, phase) => {
				rmSync(`${tree.folder}/global`, { recursive: true, force: true });
				rmSync(`${tree.folder}/project`, { recursive: true, force: true });
				tree.write({ "global/x/workflow.yaml": yaml, "global/y/p.md": phase, ...workflowFiles("global/good", ["p"]) });
				tree.write({ "global/y/workflow.yaml": "name: y\nshow: workflows\nphases: [p.md]\n" });
				const catalogue = loadCatalogue(tree.roots);
				expect(catalogue.definitions.has("good")).toBe(true);
				for (const key of ["x", "y"]) expect(catalogue.definitions.has(key) !== catalogue.rejected.has(key)).toBe(true);
				for (const { message, remedy } of catalogue.diagnostics) expect(message && remedy).toBeTruthy();
			}),
		);
	});
});
