// Rules that types can't enforce: what each folder of the source may import, and conventions for tests.
import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { importsOf, files as sources, texts } from "./source-files.ts";

/** For each room of the source, the rooms that it may import: a package, or a folder of the package that users install. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
	footprint: [],
	core: [],
	postgres: ["core", "local/public.ts"],
	disk: [],
	process: [],
	tui: [],
	pi: ["core", "footprint", "tui", "process", "disk"],
	"tools/shipped": ["core", "disk", "pi"],
	safety: ["core", "footprint", "disk", "pi"],
	persona: ["core", "safety", "tools/shipped", "disk"],
	companions: ["core", "safety", "process", "disk", "pi"],
	sequence: ["core", "companions", "disk", "pi"],
	workflow: ["core", "safety", "persona", "tools/shipped", "tui", "process", "disk", "pi"],
	local: ["core", "safety", "persona", "tools/shipped", "process", "disk", "pi"],
	ui: ["core", "local", "postgres", "safety", "persona", "tools/shipped", "tui", "process", "disk", "pi"],
	"tools/rehearsal": ["core", "safety", "workflow", "local", "ui", "persona", "tools/shipped", "process", "disk", "pi"],
	"tools/check": ["core", "safety", "workflow", "sequence", "local", "ui", "persona", "tools/rehearsal", "disk", "pi"],
	"tools/plan": [
		...["core", "sequence", "workflow", "local", "ui", "companions", "tools/rehearsal", "tools/check", "disk", "pi"],
	],
	"tools/doctor": ["core", "safety", "local", "ui", "tools/rehearsal", "tools/check", "process", "disk", "pi"],
	"tools/migration": [
		...["core", "safety", "workflow", "sequence", "local", "ui", "persona", "tools/check", "disk", "pi"],
	],
};
/** Parts that may import less than their room. Pure ones import no module with I/O and nothing of pi. */
const parts: Readonly<Record<string, { readonly may: readonly string[]; readonly pure: boolean }>> = {
	footprint: { may: [], pure: true },
	"core/machine": { may: ["core"], pure: true },
	"core/template": { may: ["core"], pure: true },
	"core/snapshot": { may: ["core"], pure: true },
	"core/handover": { may: ["core"], pure: true },
	"safety/policy": { may: ["core", "footprint", "safety"], pure: true },
	"workflow/phase-machine": { may: ["core", "workflow/limits", "workflow/definitions"], pure: true },
	"local/supervisor": { may: ["core", "safety", "persona", "process"], pure: false },
	"local/ledger/fold.ts": { may: ["core", "local/ledger/line.ts"], pure: true },
};
/** Files of pure parts that connect them with the rest. */
const connectors = ["safety/policy/gate.ts", "safety/policy/register-gate.ts"];
const impure =
	/^(@earendil-works\/|typebox($|\/)|(node:)?(fs|child_process|cluster|dgram|dns|http2?|https|inspector|net|os|process|readline|sqlite|tls|vm|worker_threads)($|\/))/;

const within = (one: string, part: string) => one === part || one.startsWith(`${part}/`);

/** The room of a source; `undefined` for the entries, which may import everything. */
function roomOf(path: string): string | undefined {
	return Object.keys(mayImport).find((room) => within(path, room));
}

/** Whether `path` may import `target`: paths below a room, or the name of a module. */
function isAllowed(path: string, target: string): boolean {
	const room = roomOf(path);
	if (room === undefined) return true;
	const rules = [
		{ of: room, may: mayImport[room] ?? [], pure: false },
		...Object.entries(parts).map(([of, rule]) => ({ of, ...rule })),
	].filter(({ of, pure }) => within(path, of) && !(pure && connectors.includes(path)));
	return rules.every(({ of, may, pure }) =>
		target.endsWith(".ts") ? [of, ...may].some((part) => within(target, part)) : !(pure && impure.test(target)),
	);
}

/** Files that every pi loads at its start, without the rest of their folder. */
const loadedAlone = [
	"tui/answer-keys.ts",
	"tui/printable.ts",
	"tui/text.ts",
	"workflow/prompts/messages.ts",
	"safety/guard/rules/reader.ts",
];

const folders = new Set(sources.map((path) => dirname(shortened(path))));
const indexes = new Set(sources.map(shortened).filter((path) => basename(path) === "index.ts"));

/** The folder whose index shows a file: its own, or for a division without an index the folder that it divides. */
function folderOf(target: string): string {
	let folder = dirname(target);
	while (folders.has(folder) && !indexes.has(`${folder}/index.ts`) && folder.includes("/")) folder = dirname(folder);
	return folder;
}

/** Whether `target` can be seen from `path`: below its own folder, or through the index of a folder beside. */
function isVisible(path: string, target: string): boolean {
	if (!target.endsWith(".ts") || roomOf(path) === undefined) return true;
	const folder = folderOf(target);
	if (target === "local/public.ts" || loadedAlone.includes(target)) return true;
	if (basename(target) !== "index.ts") return within(path, folder);
	return within(path, dirname(folder)) || dirname(folder) === "." || folder in mayImport || dirname(folder) === "core";
}

/** A source as the table names it. */
function shortened(path: string): string {
	return path.replace(/^packages\/(?:pi-chronicle\/src\/)?/, "").replace(/^(footprint|core|postgres)\/src\//, "$1/");
}

describe("import rules", () => {
	it("know every folder of the source", () => {
		const present = new Set(sources.map(shortened).map((path) => /^(?:tools\/)?[^/]+\//.exec(path)?.[0].slice(0, -1)));
		expect([...present].filter((room) => room !== undefined).sort()).toEqual(Object.keys(mayImport).sort());
	});

	it.each([
		["hold", isAllowed],
		["hide what is not in the index of a folder", isVisible],
	])("%s", (_what, isRight) => {
		const broken = sources.flatMap((path) =>
			importsOf(path)
				.filter((target) => !isRight(shortened(path), shortened(target)))
				.map((target) => `${path} imports ${target}`),
		);
		expect(broken).toEqual([]);
	});

	it.each([
		["disk/a.ts", "pi/index.ts"],
		["footprint/programs/a.ts", "node:fs/promises"],
		["footprint/a.ts", "core/definition/index.ts"],
		["pi/a.ts", "workflow/index.ts"],
		["workflow/a.ts", "sequence/index.ts"],
		["workflow/phase-machine/a.ts", "workflow/session/index.ts"],
		["core/machine/a.ts", "local/ledger/index.ts"],
		["core/machine/a.ts", "@earendil-works/pi-coding-agent"],
		["local/worker/a.ts", "ui/session/index.ts"],
		["local/supervisor/a.ts", "tui/index.ts"],
		["local/ledger/fold.ts", "node:fs"],
		["postgres/a.ts", "local/ledger/index.ts"],
		["safety/policy/a.ts", "pi/index.ts"],
		["safety/policy/gate.ts", "workflow/index.ts"],
		["tools/plan/a.ts", "start.ts"],
	])("refuse that %s imports %s", (path, target) => {
		expect(isAllowed(path, target)).toBe(false);
	});

	it.each([
		["pi/a.ts", "core/definition/index.ts"],
		["safety/policy/gate.ts", "pi/index.ts"],
		["workflow/phase-machine/a.ts", "workflow/limits/index.ts"],
		["core/machine/a.ts", "node:path"],
		["cli.ts", "tools/doctor/index.ts"],
	])("allow that %s imports %s", (path, target) => {
		expect(isAllowed(path, target)).toBe(true);
	});

	it("refuse a file behind the index of another folder", () => {
		expect(isVisible("workflow/a.ts", "safety/guard/a.ts")).toBe(false);
		expect(isVisible("safety/a.ts", "safety/guard/index.ts")).toBe(true);
		expect(isVisible("workflow/a.ts", "pi/rpc/models.ts")).toBe(false);
		expect(isVisible("core/template/a.ts", "core/machine/run/run.ts")).toBe(false);
		expect(isVisible("pi/display/say.ts", "pi/session/step.ts")).toBe(true);
	});
});

it("work that nobody awaits and that gets a session's context goes through inBackground", () => {
	const found = [...texts]
		.filter(([path]) => path !== "packages/pi-chronicle/src/pi/commands/in-background.ts")
		.flatMap(([path, text]) => (text.match(/\bvoid [\w.#]+\([^\n]*\bctx\b/g) ?? []).map((text) => `${path}: ${text}`));
	expect(found).toEqual([]);
});

describe("tests", () => {
	const files = ["footprint", "core", "postgres", "pi-chronicle"].flatMap((name) =>
		readdirSync(`packages/${name}/test`, { recursive: true, encoding: "utf8" })
			.filter((path) => /^(?!harness).*\.test\.ts$/.test(path))
			.map((path) => join("packages", name, "test", path)),
	);
	const found = (pattern: RegExp) =>
		files
			.filter((path) => !path.endsWith("house.test.ts"))
			.flatMap(
				(path) =>
					readFileSync(path, "utf8")
						.match(pattern)
						?.map((text) => `${path}: ${text}`) ?? [],
			);

	it.each([
		["are not retried", /\bretry: ?\d/g],
		["are skipped with a reason, by `needs`", /\b(it|test|describe)\.(skip|skipIf|runIf|todo|only)\b/g],
		["take their number of runs from `runs`", /\bnumRuns: ?\d/g],
		["scale their limits with `patient`", /\{ timeout: ?\d|^\t*\}, [\d_]+\);$/gm],
	])("%s", (_rule, pattern) => {
		expect(found(pattern)).toEqual([]);
	});
});
