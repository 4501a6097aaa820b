// Loading again: the same object while nothing has changed, and every change noticed.
import { mkdirSync, renameSync, rmSync, statSync, symlinkSync, unlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { beforeEach, describe, expect, it } from "vitest";
import { type Catalogue, loadCatalogue, openCatalogueMemory } from "../../../src/workflow/definitions/index.ts";
import { needsPosix } from "../../harness/needs.ts";
import { openTree, phaseFile, type Tree, workflowFiles, workflowYaml } from "./tree.ts";

let tree: Tree;
let load: () => Catalogue;
beforeEach(async () => {
	tree = openTree({
		...workflowFiles("global/x", ["a", "b"]),
		...workflowFiles("global/_shared/inner", ["i"], { show: "workflows" }),
		...workflowFiles("project/y", ["c", "@inner"]),
		"global/notes/readme.md": "nothing of ours",
	});
	const memory = openCatalogueMemory();
	load = () => loadCatalogue(tree.roots, memory);
	await pause(120);
});
const at = (path: string) => join(tree.folder, path);
const instructions = (catalogue: Catalogue, key: string, index: number) => {
	const entry = catalogue.definitions.get(key)?.entries[index];
	return entry?.kind === "phase" ? entry.instructions : undefined;
};

describe("with a memory", () => {
	it("loading again gives the very same catalogue", () => {
		const first = load();
		expect(load()).toBe(first);
		expect(load()).toEqual(loadCatalogue(tree.roots));
	});

	it("other roots give another catalogue, and the first one is found again", () => {
		const memory = openCatalogueMemory();
		expect([...loadCatalogue(tree.roots, memory).definitions.keys()]).toEqual(["inner", "x", "y"]);
		expect([...loadCatalogue({ ...tree.roots, projectRoot: undefined }, memory).definitions.keys()]).toEqual([
			"inner",
			"x",
		]);
		expect([...loadCatalogue(tree.roots, memory).definitions.keys()]).toEqual(["inner", "x", "y"]);
	});

	it("an edit of the same length is noticed, and one that puts the old time back", () => {
		load();
		writeFileSync(at("global/x/b.md"), phaseFile("b").replace("Do b.", "Do B."));
		expect(instructions(load(), "x", 1)).toBe("Do B.");
		const { atime, mtime } = statSync(at("global/x/a.md"));
		writeFileSync(at("global/x/a.md"), phaseFile("a").replace("Do a.", "Do A."));
		utimesSync(at("global/x/a.md"), atime, mtime);
		expect(instructions(load(), "x", 0)).toBe("Do A.");
	});

	it("many edits in a row, each read at once, are all noticed", () => {
		for (let round = 0; round < 200; round += 1) {
			const text = `Round ${String(round).padStart(3, "0")}.`;
			writeFileSync(at("global/x/a.md"), phaseFile("a").replace("Do a.", text));
			expect(instructions(load(), "x", 0)).toBe(text);
		}
	});

	it.each<[string, () => void, (catalogue: Catalogue) => unknown, unknown]>([
		[
			"a new workflow",
			() => tree.write(workflowFiles("global/new", ["n"])),
			({ definitions }) => definitions.has("new"),
			true,
		],
		[
			"a new nested workflow",
			() => tree.write(workflowFiles("global/_shared/new", ["n"])),
			({ definitions }) => definitions.has("new"),
			true,
		],
		[
			"a workflow.yaml in an old directory",
			() => tree.write(workflowFiles("global/notes", ["n"])),
			({ definitions }) => definitions.has("notes"),
			true,
		],
		[
			"a removed workflow",
			() => rmSync(at("global/x"), { recursive: true }),
			({ definitions }) => definitions.has("x"),
			false,
		],
		[
			"a removed workflow.yaml",
			() => unlinkSync(at("project/y/workflow.yaml")),
			({ definitions }) => definitions.has("y"),
			false,
		],
		["a removed phase", () => unlinkSync(at("global/x/b.md")), ({ rejected }) => rejected.has("x"), true],
		[
			"a renamed directory",
			() => renameSync(at("global/x"), at("global/z")),
			({ definitions }) => [definitions.has("x"), definitions.has("z")],
			[false, true],
		],
		[
			"a changed workflow.yaml",
			() => tree.write({ "global/x/workflow.yaml": workflowYaml(["b.md"]) }),
			({ definitions }) => definitions.get("x")?.entries.length,
			1,
		],
		[
			"an atomic replacement",
			() => {
				writeFileSync(at("global/x/a.tmp"), phaseFile("a").replace("Do a.", "Do x."));
				renameSync(at("global/x/a.tmp"), at("global/x/a.md"));
			},
			(catalogue) => instructions(catalogue, "x", 0),
			"Do x.",
		],
		[
			"a project that gets its own",
			() => tree.write(workflowFiles("project/x", ["p"])),
			({ definitions }) => definitions.get("x")?.tier,
			"project",
		],
		[
			"a removed root",
			() => rmSync(at("global"), { recursive: true }),
			({ definitions, rejected }) => [definitions.size, [...rejected.keys()]],
			[0, ["y"]],
		],
	])("%s is noticed", (_, change, look, expected) => {
		load();
		change();
		const catalogue = load();
		expect(look(catalogue)).toEqual(expected);
		expect(catalogue).toEqual(loadCatalogue(tree.roots));
	});

	it("a missing phase file that appears is noticed, and so is a root that appears", () => {
		tree.write({ "global/x/workflow.yaml": workflowYaml(["a.md", "later.md"]) });
		expect(load().rejected.has("x")).toBe(true);
		tree.write({ "global/x/later.md": phaseFile("later") });
		expect(load().definitions.get("x")?.entries).toHaveLength(2);
		rmSync(at("project"), { recursive: true });
		expect(load().definitions.has("y")).toBe(false);
		tree.write(workflowFiles("project/y", ["c"]));
		expect(load().definitions.has("y")).toBe(true);
	});

	it("links that are turned elsewhere, or whose target appears, are noticed", needsPosix, async () => {
		tree.write({
			"global/_store/one.md": phaseFile("one"),
			"global/_store/two.md": phaseFile("two"),
			...workflowFiles("other/l", ["p"]),
		});
		tree.write({ "global/x/workflow.yaml": workflowYaml(["link.md"]) });
		symlinkSync("../_store/one.md", at("global/x/link.md"));
		symlinkSync("../later", at("global/linked"));
		await pause(120);
		expect(instructions(load(), "x", 0)).toBe("Do one.");
		unlinkSync(at("global/x/link.md"));
		symlinkSync("../_store/two.md", at("global/x/link.md"));
		expect(instructions(load(), "x", 0)).toBe("Do two.");
		await pause(120);
		load();
		mkdirSync(at("later"));
		tree.write(workflowFiles("later", ["p"]));
		expect(load().definitions.has("linked")).toBe(true);
	});
});
