// Rules that types can't enforce: what each folder of the source may import, and conventions for tests.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { importsOf, files as sources, texts } from "./source-files.ts";

/** For each folder of the source, the folders that it may import. */
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
/** Parts that may import less than their folder. Pure ones import no module with I/O and nothing of pi. */
const parts: Readonly<Record<string, { readonly may: readonly string[]; readonly pure: boolean }>> = {
	disk: { may: [], pure: false },
	footprint: { may: [], pure: true },
	"safety/policy": { may: ["definition", "footprint", "bounds", "safety"], pure: true },
	"workflow/machine": { may: ["definition", "bounds", "workflow/limits", "workflow/definitions"], pure: true },
	"chronicle/core": { may: ["definition", "bounds"], pure: true },
	"chronicle/engine": { may: [...(mayImport.chronicle ?? []), "chronicle/core"], pure: false },
	"chronicle/engine/supervisor": {
		may: ["definition", "safety", "bounds", "chronicle/core", "persona", "process"],
		pure: false,
	},
	"chronicle/engine/ledger/fold.ts": {
		may: ["definition", "bounds", "chronicle/core", "chronicle/engine/ledger/line.ts"],
		pure: true,
	},
};
/** Files of pure parts that connect them with the rest. */
const connectors = ["safety/policy/gate.ts", "safety/policy/register-gate.ts"];
const impure =
	/^(@earendil-works\/|typebox($|\/)|(node:)?(fs|child_process|cluster|dgram|dns|http2?|https|inspector|net|os|process|readline|sqlite|tls|vm|worker_threads)($|\/))/;

/** Whether `path` may import `target`: paths below `src`, or the name of a module. */
function isAllowed(path: string, target: string): boolean {
	const within = (one: string, part: string) => one === part || one.startsWith(`${part}/`);
	const [room = ""] = path.split("/");
	if (!path.includes("/")) return true;
	const rules = [
		{ of: room, may: mayImport[room] ?? [], pure: false },
		...Object.entries(parts).map(([of, rule]) => ({ of, ...rule })),
	].filter(({ of, pure }) => within(path, of) && !(pure && connectors.includes(path)));
	return rules.every(({ of, may, pure }) =>
		target.endsWith(".ts") ? [of, ...may].some((part) => within(target, part)) : !(pure && impure.test(target)),
	);
}

const belowSource = (path: string) => path.replace(/^src\//, "");

describe("import rules", () => {
	it("know every folder of the source", () => {
		const present = readdirSync("src", { withFileTypes: true }).filter((entry) => entry.isDirectory());
		expect(present.map(({ name }) => name).sort()).toEqual(Object.keys(mayImport).sort());
	});

	it("hold", () => {
		const broken = sources.flatMap((path) =>
			importsOf(path)
				.filter((target) => !isAllowed(belowSource(path), belowSource(target)))
				.map((target) => `${path} imports ${target}`),
		);
		expect(broken).toEqual([]);
	});

	it.each([
		["disk/a.ts", "pi/index.ts"],
		["footprint/programs/a.ts", "node:fs/promises"],
		["footprint/a.ts", "definition/index.ts"],
		["pi/a.ts", "workflow/index.ts"],
		["workflow/a.ts", "sequence/index.ts"],
		["workflow/machine/a.ts", "workflow/session/index.ts"],
		["chronicle/core/machine/a.ts", "chronicle/engine/ledger/index.ts"],
		["chronicle/core/machine/a.ts", "@earendil-works/pi-coding-agent"],
		["chronicle/engine/worker/a.ts", "chronicle/ui/session/index.ts"],
		["chronicle/engine/supervisor/a.ts", "tui/index.ts"],
		["chronicle/engine/ledger/fold.ts", "node:fs"],
		["safety/policy/a.ts", "pi/index.ts"],
		["safety/policy/gate.ts", "workflow/index.ts"],
		["plan/a.ts", "start.ts"],
	])("refuse that src/%s imports %s", (path, target) => {
		expect(isAllowed(path, target)).toBe(false);
	});

	it.each([
		["pi/a.ts", "definition/index.ts"],
		["safety/policy/gate.ts", "pi/index.ts"],
		["workflow/machine/a.ts", "workflow/limits/index.ts"],
		["chronicle/core/machine/a.ts", "node:path"],
		["cli.ts", "doctor/index.ts"],
	])("allow that src/%s imports %s", (path, target) => {
		expect(isAllowed(path, target)).toBe(true);
	});
});

it("work that nobody awaits and that gets a session's context goes through inBackground", () => {
	const found = [...texts]
		.filter(([path]) => path !== "src/pi/in-background.ts")
		.flatMap(([path, text]) => (text.match(/\bvoid [\w.#]+\([^\n]*\bctx\b/g) ?? []).map((text) => `${path}: ${text}`));
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
