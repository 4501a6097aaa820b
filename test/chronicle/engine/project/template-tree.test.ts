// The templates that a template runs: all are found and pinned, and what must not start is refused with its state.
import { describe, expect, it } from "vitest";
import type { WorkerLauncher } from "../../../../src/chronicle/core/index.ts";
import { readTemplate } from "../../../../src/chronicle/core/template/index.ts";
import type { FoundTemplate } from "../../../../src/chronicle/engine/project/template-catalogue.ts";
import { checkTree } from "../../../../src/chronicle/engine/project/template-tree.ts";
import { openSource } from "../../../../src/definition/index.ts";

const worker = { persona: "Builder", next: ["done"] };
const runs = (run: unknown, more: object = {}) => ({ states: { build: { run, next: ["done"], ...more } } });

function found(name: string, definition: object): FoundTemplate {
	const file = `/t/${name}.json`;
	const { read, diagnostics } = readTemplate(openSource(file, JSON.stringify({ name, ...definition })), name);
	return { key: name, file, tier: "project", inPlaceOf: [], read, diagnostics } as FoundTemplate;
}

/** Only workers with the tools `read` and `grep` cannot write. */
const launcher = {
	check: async () => [],
	writers: async (states) => new Set(states.filter(({ tools }) => tools?.join() !== "read,grep")),
} as Pick<WorkerLauncher, "check" | "writers"> as WorkerLauncher;

async function check(definitions: Record<string, object>, root = "root") {
	const templates = new Map(Object.entries(definitions).map(([name, one]) => [name, found(name, one)] as const));
	const template = templates.get(root)?.read?.template;
	if (!template) throw new Error(JSON.stringify(templates.get(root)?.diagnostics));
	return checkTree(launcher, root, template, { templates } as unknown as Parameters<typeof checkTree>[3]);
}

const nested = (levels: number): object => (levels === 0 ? { states: { work: worker } } : runs(nested(levels - 1)));

describe("a template with all that it runs", () => {
	it("pins every named template once, also those of templates in place", async () => {
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

	it.each<[string, Record<string, object>, string, RegExp]>([
		["one that runs itself", { root: runs("root") }, "build", /in a loop: root → root/],
		["a circle of three", { root: runs("b"), b: runs("c"), c: runs("root") }, "build", /root → b → c → root/],
		["a circle through one in place", { root: runs(runs("b")), b: runs("root") }, "build", /root → b → root/],
		["a circle below", { root: runs("b"), b: runs("c"), c: runs("b") }, "build", /in a loop: .*b → c → b/],
		["a missing one", { root: runs("leef"), leaf: nested(0) }, "build", /no template `leef`.*`leaf`/],
		["a missing one below", { root: runs("b"), b: runs("nowhere") }, "build/build", /no template `nowhere`/],
		["one that does not load", { root: runs("b"), b: { states: { a: { next: 5 } } } }, "build", /does not load/],
		["five levels", { root: nested(5) }, "build/build/build/build/build", /deeper than 4/],
		["shared files and a writer", { root: runs(nested(0), { files: "shared" }) }, "build", /can change files/],
		[
			"shared files and a writer below",
			{ root: runs("b", { files: "shared" }), b: runs(nested(0)) },
			"build",
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
			/can change files/,
		],
	])("is refused with %s", async (_, definitions, state, message) => {
		const { problems } = await check(definitions);
		expect(problems).toContainEqual(
			expect.objectContaining({ severity: "error", state, message: expect.stringMatching(message) }),
		);
	});

	it("may share the files with children that only read", async () => {
		const reader = { states: { look: { ...worker, tools: ["read", "grep"] } } };
		expect((await check({ root: runs(reader, { files: "shared" }) })).problems).toEqual([]);
	});
});
