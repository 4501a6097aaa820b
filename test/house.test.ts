// Rules that types can't enforce: the linter's import rules take effect, and conventions for tests.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

/** For each folder of the source, the folders that it may import. `chronicle` is refined below. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
	disk: [],
	process: [],
	definition: [],
	bounds: [],
	tui: [],
	footprint: [],
	pi: ["definition", "footprint", "tui", "process", "disk"],
	shipped: ["definition", "disk", "pi"],
	safety: ["definition", "footprint", "bounds", "disk", "pi"],
	persona: ["definition", "safety", "shipped", "disk"],
	companions: ["definition", "safety", "process", "disk", "pi"],
	sequence: ["definition", "companions", "disk", "pi"],
	workflow: ["definition", "safety", "bounds", "shipped", "tui", "disk", "pi"],
	chronicle: ["definition", "safety", "bounds", "persona", "shipped", "tui", "process", "disk", "pi"],
	rehearsal: ["definition", "safety", "bounds", "workflow", "chronicle", "persona", "shipped", "process", "disk", "pi"],
	check: ["definition", "safety", "workflow", "sequence", "chronicle", "persona", "rehearsal", "disk", "pi"],
	plan: ["definition", "sequence", "workflow", "chronicle", "companions", "rehearsal", "check", "disk", "pi"],
	doctor: ["definition", "safety", "chronicle", "rehearsal", "check", "process", "disk", "pi"],
	migration: ["definition", "safety", "workflow", "sequence", "chronicle", "persona", "check", "disk", "pi"],
};
/** What the pure parts may import from the source; otherwise only packages and modules without I/O. */
const pureMayImport: Readonly<Record<string, readonly string[]>> = {
	footprint: [],
	"safety/policy": ["definition", "footprint", "bounds"],
	"workflow/machine": ["definition", "bounds", "workflow/limits"],
	"chronicle/core": ["definition", "bounds"],
	"chronicle/core/machine": ["definition", "bounds", "chronicle/core/template"],
	"chronicle/engine/ledger/fold.ts": ["definition", "bounds", "chronicle/core"],
};
const partsMayImport: Readonly<Record<string, readonly string[]>> = {
	...pureMayImport,
	"chronicle/engine/supervisor": ["chronicle/core", "persona", "process"],
	"chronicle/ui/commands": ["chronicle/core", "chronicle/engine", "tui"],
	"safety/policy/gate.ts": ["pi", "disk"],
};
const impure = [
	"@earendil-works/pi-coding-agent",
	"typebox",
	"node:fs",
	"node:fs/promises",
	"node:child_process",
	"node:net",
	"node:https",
	"node:os",
	"node:readline/promises",
	"node:worker_threads",
];

interface Probe {
	/** The importing file, below `src`. */
	readonly path: string;
	readonly from: string;
	readonly legal: boolean;
	readonly code: string;
}

/** A file in a folder of the source that imports something; `part` is a folder or a file. */
function probe(part: string, from: string, legal: boolean): Probe {
	const folder = part.endsWith(".ts") ? dirname(part) : part;
	const stem = part.endsWith(".ts") ? basename(part, ".ts") : "probe";
	const path = join(folder, `${stem}-${String(count++)}.ts`);
	const target = /^(@|node:|typebox)/.test(from)
		? from
		: relative(folder, from.endsWith(".ts") ? from : `${from}/index.ts`);
	// Every other probe imports later: the rules are about both.
	const code =
		count % 2
			? `import { x } from "${target}";\nexport const y = x;\n`
			: `export const y = () => import("${target}");\n`;
	return { path, from, legal, code };
}
let count = 0;

const folders = Object.keys(mayImport);
const entries = ["start.ts", "worker-start.ts", "cli.ts"];
const probes = [
	...folders.flatMap((folder) => [
		...folders
			.filter((other) => other !== folder)
			.flatMap((other) => probe(folder, other, mayImport[folder]?.includes(other) ?? false)),
		...entries.map((entry) => probe(folder, entry, false)),
	]),
	...Object.entries(partsMayImport).flatMap(([part, allowed]) => [
		...allowed.map((other) => probe(part, other, true)),
		...["sequence", "rehearsal", "check", ...entries].map((other) => probe(part, other, false)),
	]),
	...Object.keys(pureMayImport).flatMap((part) => [
		...[...folders, "chronicle/ui"]
			.filter((other) => !pureMayImport[part]?.includes(other) && !part.startsWith(other))
			.map((other) => probe(part, other, false)),
		...impure.map((module) => probe(part, module, false)),
		probe(part, "node:path", true),
		probe(part, "unbash", true),
	]),
	probe("chronicle/core/machine", "chronicle/engine/ledger", false),
	probe("chronicle/engine/worker/extension", "chronicle/ui/session", false),
	probe("chronicle/engine/worker/extension", "start.ts", false),
	probe("chronicle/engine/supervisor", "tui", false),
	probe("workflow/machine", "workflow/session", false),
	probe("safety/policy/gate.ts", "@earendil-works/pi-coding-agent", true),
	probe("safety/policy/gate.ts", "workflow", false),
	probe("process", "typebox", false),
	probe("disk", "@earendil-works/pi-ai", false),
];

let house: string;
/** Files that the rule `noRestrictedImports` complains about. */
let refused: Set<string>;

beforeAll(() => {
	house = mkdtempSync(join(tmpdir(), "house-"));
	const config = JSON.parse(readFileSync("biome.json", "utf8"));
	config.vcs.enabled = false;
	// The single files that are named in the rules stand for their probes here.
	const named = JSON.stringify(config)
		.replaceAll("fold.ts", "fold*.ts")
		.replaceAll("gate}.ts", "gate}*.ts")
		.replaceAll("{gate,", "{gate*,");
	writeFileSync(join(house, "biome.json"), named);
	for (const { path, code } of probes) {
		mkdirSync(dirname(join(house, "src", path)), { recursive: true });
		writeFileSync(join(house, "src", path), code);
	}
	const done = spawnSync("biome", ["lint", "--reporter=json", "--max-diagnostics=none", "src"], {
		cwd: house,
		encoding: "utf8",
	});
	const report = JSON.parse(done.stdout) as { diagnostics: { category: string; location: { path: string } }[] };
	refused = new Set(
		report.diagnostics
			.filter(({ category }) => category === "lint/style/noRestrictedImports")
			.map(({ location }) => relative("src", location.path)),
	);
});
afterAll(() => rmSync(house, { recursive: true, force: true }));

describe("import rules", () => {
	it("know every folder of the source", () => {
		const present = readdirSync("src", { withFileTypes: true }).filter((entry) => entry.isDirectory());
		expect(present.map(({ name }) => name).sort()).toEqual([...folders].sort());
	});

	it.each([...folders, ...Object.keys(partsMayImport)])("allow src/%s exactly what its row allows", (part) => {
		const own = probes.filter(({ path }) => path.startsWith(part.replace(/\.ts$/, "-")) || dirname(path) === part);
		expect(own.length).toBeGreaterThan(5);
		const wrong = own.filter(({ path, legal }) => refused.has(path) === legal);
		expect(wrong.map(({ path, from, legal }) => `${path} imports ${from}: ${legal ? "refused" : "allowed"}`)).toEqual(
			[],
		);
	});
});

it("work that nobody awaits and that gets a session's context goes through inBackground", () => {
	const sources = readdirSync("src", { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".ts"));
	const found = sources
		.filter((path) => path !== join("pi", "in-background.ts"))
		.flatMap((path) =>
			(readFileSync(join("src", path), "utf8").match(/\bvoid [\w.#]+\([^\n]*\bctx\b/g) ?? []).map(
				(text) => `${path}: ${text}`,
			),
		);
	expect(found).toEqual([]);
});

describe("tests", () => {
	const files = readdirSync("test", { recursive: true, encoding: "utf8" }).filter((path) =>
		/^(?!harness).*\.test\.ts$/.test(path),
	);
	const found = (pattern: RegExp) =>
		files
			.filter((path) => path !== "house.test.ts")
			.flatMap(
				(path) =>
					readFileSync(join("test", path), "utf8")
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
