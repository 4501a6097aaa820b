// Rules that types can't enforce: the linter's import rules take effect, and conventions for tests.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const forbidden: [string, string][] = [
	["src/workflow/tool.ts", "../chronicle/index.ts"],
	["src/workflow/tool.ts", "../sequence/index.ts"],
	["src/sequence/run.ts", "../workflow/index.ts"],
	["src/chronicle/engine/supervisor/loop.ts", "../../../sequence/index.ts"],
	["src/pi/turns.ts", "../workflow/index.ts"],
	["src/workflow/tool.ts", "../plan/index.ts"],
	["src/chronicle/ui/cli/command-line.ts", "../../../plan/index.ts"],
	["src/tui/sheet.ts", "../chronicle/index.ts"],
	["src/chronicle/ui/cli/command-line.ts", "../../../check/index.ts"],
	["src/chronicle/ui/session/host.ts", "../../../doctor/index.ts"],
	["src/workflow/tool.ts", "../migration/index.ts"],
	["src/workflow/tool.ts", "../start.ts"],
	["src/footprint/shell.ts", "@earendil-works/pi-coding-agent"],
	["src/footprint/shell.ts", "node:fs"],
	["src/footprint/shell.ts", "../safety/index.ts"],
	["src/process/child.ts", "../pi/index.ts"],
	["src/disk/replace-file.ts", "../pi/index.ts"],
	["src/footprint/shell.ts", "../disk/index.ts"],
	["src/chronicle/core/snapshot/patch.ts", "node:fs"],
	["src/safety/policy/policy.ts", "../../pi/index.ts"],
	["src/workflow/machine/transition.ts", "@earendil-works/pi-coding-agent"],
	["src/chronicle/core/machine/transition.ts", "node:fs"],
	["src/chronicle/engine/ledger/fold.ts", "node:fs/promises"],
];
const allowed: [string, string][] = [
	["src/workflow/tool.ts", "../pi/index.ts"],
	["src/safety/policy/gate.ts", "@earendil-works/pi-coding-agent"],
	["src/rehearsal/scenario.ts", "../workflow/index.ts"],
	["src/check/verb.ts", "../chronicle/index.ts"],
	["src/plan/examine.ts", "../rehearsal/index.ts"],
	["src/doctor/definitions.ts", "../check/index.ts"],
	["src/migration/native.ts", "../workflow/index.ts"],
];

let house: string;
/** Files that the rule `noRestrictedImports` complains about, among one probe file per pair and way of importing. */
let refused: Set<string>;

const pairs = [
	...forbidden.map(([path, from]) => ({ path, from, legal: false })),
	...allowed.map(([path, from]) => ({ path, from, legal: true })),
];
const probes = pairs.flatMap(({ path, from, legal }, index) => [
	{ path: suffixed(path, `static-${index}`), from, legal, code: `import { x } from "${from}";\nexport const y = x;\n` },
	{ path: suffixed(path, `lazy-${index}`), from, legal, code: `export const y = () => import("${from}");\n` },
]);

function suffixed(path: string, suffix: string): string {
	return path.replace(/\.ts$/, `-${suffix}.ts`);
}

beforeAll(() => {
	house = mkdtempSync(join(tmpdir(), "house-"));
	const config = JSON.parse(readFileSync("biome.json", "utf8"));
	config.vcs.enabled = false;
	// The pure single files that are named in the rules stand for their probes here.
	const named = JSON.stringify(config).replaceAll("fold.ts", "fold*.ts").replaceAll("gate.ts", "gate*.ts");
	writeFileSync(join(house, "biome.json"), named);
	for (const { path, code } of probes) {
		mkdirSync(dirname(join(house, path)), { recursive: true });
		writeFileSync(join(house, path), code);
	}
	const done = spawnSync("biome", ["lint", "--reporter=json", "--max-diagnostics=none", "src"], {
		cwd: house,
		encoding: "utf8",
	});
	const report = JSON.parse(done.stdout) as { diagnostics: { category: string; location: { path: string } }[] };
	refused = new Set(
		report.diagnostics
			.filter(({ category }) => category === "lint/style/noRestrictedImports")
			.map(({ location }) => location.path),
	);
});
afterAll(() => rmSync(house, { recursive: true, force: true }));

describe("import rules", () => {
	it.each(probes)("$path importing $from is legal: $legal", ({ path, legal }) => {
		expect(refused.has(path)).toBe(!legal);
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
