// The templates that a template runs: all are found and pinned, and problems are reported with state and place.
import { readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { openSource } from "@pi-chronicle/core/definition";
import type { LaunchProblem, WorkerLauncher } from "@pi-chronicle/core/ports";
import { readTemplate } from "@pi-chronicle/core/template";
import { describe, expect, it } from "vitest";
import type { FoundTemplate } from "../../../src/local/project/template-catalogue.ts";
import { checkTree, pinnedChildren } from "../../../src/local/project/template-tree.ts";
import { openFolder } from "../../harness/folder.ts";

const worker = { persona: "Builder", next: ["done"] };
const runs = (run: unknown, more: object = {}) => ({ states: { build: { run, next: ["done"], ...more } } });

function found(folder: string, name: string, definition: object): FoundTemplate {
	const file = join(folder, `${name}.json`);
	const text = JSON.stringify({ name, ...definition }, null, 1);
	writeFileSync(file, text);
	const { read, diagnostics } = readTemplate(openSource(file, text), name);
	return { key: name, file, tier: "project", read, diagnostics };
}

/** Only workers with the tools `read` and `grep` cannot write. The agent `Nobody` does not exist. */
const launcher = {
	check: async (states) =>
		states.flatMap(({ name: state, persona }) =>
			persona?.name === "Nobody"
				? [{ state, severity: "error", message: "no agent `Nobody`", remedy: "Write it.", fields: ["agent"] } as const]
				: [],
		),
	abilities: async (states) =>
		new Map(states.map((state) => [state, { edits: state.tools?.join() !== "read,grep", runs: false, other: false }])),
} as Pick<WorkerLauncher, "check" | "abilities"> as WorkerLauncher;

async function check(definitions: Record<string, object>) {
	const folder = openFolder();
	const templates = new Map(
		Object.entries(definitions).map(([name, one]) => [name, { ...found(folder, name, one), inPlaceOf: [] }] as const),
	);
	const root = templates.get("root");
	if (!root?.read) throw new Error(JSON.stringify(root?.diagnostics));
	const { key, file, read } = root;
	return checkTree(launcher, { key, file, read }, { templates }, { cwd: folder });
}

/** The template and the key at the place of a problem. */
function keyAt({ place }: LaunchProblem): string {
	const line = readFileSync(place?.file ?? "", "utf8").split("\n")[(place?.line ?? 0) - 1] ?? "";
	return `${basename(place?.file ?? "", ".json")} ${/"([^"]+)"/.exec(line)?.[1]}`;
}

const leaf = { states: { work: worker } };
const nobody = { agent: "Nobody", next: ["done"] };
const branched = (branches: object) => ({ states: { build: { branches, next: ["done"] } } });
const nested = (levels: number): object => (levels === 0 ? { states: { work: worker } } : runs(nested(levels - 1)));

describe("a template with the templates that it runs", () => {
	it("pins every named template once, also those named by inline templates", async () => {
		const { tree, problems } = await check({
			root: { states: { a: { branches: { x: { run: "leaf" }, y: { run: runs("other") } }, next: ["done"] } } },
			leaf: { states: { work: worker } },
			other: runs("leaf"),
		});
		expect(problems).toEqual([]);
		expect(Object.keys(tree.pinned).sort()).toEqual(["leaf", "other"]);
	});

	it("is read in time that does not depend on how often its templates are named", async () => {
		const many = (run: string) => ({
			states: {
				all: {
					branches: Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`b${n}`, { run }])),
					next: ["done"],
				},
			},
		});
		const { tree, problems } = await check({ root: many("b"), b: many("c"), c: many("d"), d: many("e"), e: nested(0) });
		expect(problems).toEqual([]);
		expect(tree.templates).toHaveLength(5);
	});

	it("may nest four levels deep", async () => {
		expect((await check({ root: nested(4) })).problems).toEqual([]);
	});

	it.each<[string, Record<string, object>, string, string, RegExp]>([
		["one that runs itself", { root: runs("root") }, "build", "root run", /in a loop: root → root/],
		[
			"a cycle of three",
			{ root: runs("b"), b: runs("c"), c: runs("root") },
			"build",
			"root run",
			/root → b → c → root/,
		],
		[
			"a circle through one in place",
			{ root: runs(runs("b")), b: runs("root") },
			"build",
			"root run",
			/root → b → root/,
		],
		["a circle below", { root: runs("b"), b: runs("c"), c: runs("b") }, "build", "root run", /in a loop: .*b → c → b/],
		[
			"a circle of a branch",
			{ root: branched({ x: { run: leaf }, y: { run: "root" } }) },
			"build",
			"root run",
			/root → root/,
		],
		["a missing one", { root: runs("leef"), leaf }, "build", "root run", /no template `leef`.*`leaf`/],
		["a file name", { root: runs("leaf.yaml"), leaf }, "build", "root run", /no template `leaf.yaml`.*`leaf`/],
		["a missing one below", { root: runs("b"), b: runs("nowhere") }, "build/build", "b run", /no template `nowhere`/],
		["a missing one in place", { root: runs(runs("nowhere")) }, "build/build", "root run", /no template `nowhere`/],
		[
			"a missing one of a branch",
			{ root: branched({ x: worker, y: { run: "leef", task: "t" } }), leaf },
			"build",
			"root run",
			/no template `leef`.*`leaf`/,
		],
		[
			"one that does not load",
			{ root: runs("b"), b: { states: { a: { persona: 5 } } } },
			"build",
			"root run",
			/`b` does not load: b\.json:\d+:\d+ .*persona/,
		],
		["five levels", { root: nested(5) }, "build/build/build/build/build", "root run", /deeper than 4/],
		["shared files and a writer", { root: runs(leaf, { files: "shared" }) }, "build", "root files", /can change files/],
		[
			"shared files and a writer below",
			{ root: runs("b", { files: "shared" }), b: runs(leaf) },
			"build",
			"root files",
			/can change files/,
		],
		[
			"shared files and a clean-up",
			{
				root: runs(
					{ states: { work: { ...worker, tools: ["read", "grep"], cleanup: ["make clean"] } } },
					{ files: "shared" },
				),
			},
			"build",
			"root files",
			/can change files/,
		],
		["an absent agent", { root: { states: { a: nobody } } }, "a", "root agent", /no agent/],
		["an absent agent of a child", { root: runs("b"), b: { states: { a: nobody } } }, "build/a", "b agent", /no agent/],
		["an absent agent in place", { root: runs({ states: { a: nobody } }) }, "build/a", "root agent", /no agent/],
		[
			"an absent agent of a branch",
			{ root: branched({ x: worker, y: nobody }) },
			"build/y/y",
			"root agent",
			/no agent/,
		],
		[
			"an absent agent of a branch's template",
			{ root: branched({ x: worker, y: { run: { states: { a: nobody } } } }) },
			"build/y/a",
			"root agent",
			/no agent/,
		],
	])("is refused with %s", async (_, definitions, state, place, message) => {
		const { problems } = await check(definitions);
		const [problem] = problems.filter((one) => message.test(one.message));
		expect(problem, JSON.stringify(problems)).toMatchObject({ severity: "error", state });
		expect(problem && keyAt(problem)).toBe(place);
	});

	it("may share the files with children that only read", async () => {
		const reader = { states: { look: { ...worker, tools: ["read", "grep"] } } };
		expect((await check({ root: runs(reader, { files: "shared" }) })).problems).toEqual([]);
	});
});

describe("what a ledger keeps for child runs", () => {
	const state = (persona: string, more: object = {}) => ({ persona, next: ["done"], ...more });
	/** The pins of a root with these states in its child; workers of these personas can change files. */
	async function pins(states: object, writing: readonly string[], child: unknown = { states }) {
		const { tree } = await check({ root: runs(child), leaf: { states } });
		const all = tree.templates.flatMap(({ template }) => [...template.states.values()]);
		return pinnedChildren(tree, new Set(all.filter(({ name }) => writing.includes(name))));
	}

	it.each<[what: string, states: object, writing: string[], readOnlyAgents: string[] | undefined]>([
		["one that only reads", { a: state("R") }, [], ["R"]],
		["one that writes", { a: state("W") }, ["a"], undefined],
		["one of each, and one twice", { a: state("R"), b: state("W"), c: state("R") }, ["b"], ["R"]],
		["one that reads in one state and writes in another", { a: state("X"), b: state("X") }, ["b"], undefined],
		["one whose state lists its tools", { a: state("R", { tools: ["read"] }) }, [], undefined],
		[
			"one that writes only where its state lists tools",
			{ a: state("R"), b: state("R", { tools: ["edit"] }) },
			["b"],
			["R"],
		],
		["none", { a: { next: [] } }, [], undefined],
	])("names the agents that only read: %s", async (_what, states, writing, readOnlyAgents) => {
		expect(await pins(states, writing)).toEqual(readOnlyAgents ? { readOnlyAgents } : {});
	});

	it("has the named templates, and nothing for a template without children", async () => {
		expect(await pins({ a: state("W") }, ["a"], "leaf")).toEqual({
			children: { leaf: expect.objectContaining({ file: expect.stringMatching(/\/leaf\.json$/) }) },
		});
		const { tree } = await check({ root: { states: { a: state("R") } } });
		expect(pinnedChildren(tree, new Set())).toEqual({});
	});
});
