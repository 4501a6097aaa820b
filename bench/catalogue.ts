// Loading workflows: 300 definitions with 3,000 phase files, in a new process, compared with the reference, and again in the same process.
// Each side runs as built JavaScript in a separate process per round, in alternating order.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { type Figures, median } from "./figure.ts";

const workflows = 300;
const phases = 10;
const rounds = 7;

interface Round {
	readonly cold: number;
	readonly loaded: number;
	/** Milliseconds of each repeated load; measured for this package only. */
	readonly again: readonly number[];
}

export async function bench(): Promise<Figures> {
	const folder = mkdtempSync(join(tmpdir(), "bench-catalogue-"));
	try {
		writeTree(join(folder, "agent", "workflows"));
		const modules = join(import.meta.dirname, "..", "node_modules");
		symlinkSync(modules, join(folder, "node_modules"), "dir");
		await bundle(folder, modules);
		const ours: Round[] = [];
		const reference: Round[] = [];
		for (let round = 0; round < rounds; round += 1) {
			const sides = round % 2 === 0 ? (["ours", "reference"] as const) : (["reference", "ours"] as const);
			for (const side of sides) (side === "ours" ? ours : reference).push(run(folder, side));
		}
		for (const { loaded } of [...ours, ...reference])
			if (loaded !== workflows) throw new Error(`${loaded} of ${workflows} workflows were loaded.`);
		const cold = median(ours.map((round) => round.cold));
		const coldReference = median(reference.map((round) => round.cold));
		return {
			name: "catalogue",
			rows: [
				{
					figure: "300 workflows, 3,000 phases, cold ÷ reference",
					value: cold / coldReference,
					unit: "×",
					must: { most: 1 },
				},
				{ figure: "cold", value: cold, unit: "ms" },
				{ figure: "cold, reference", value: coldReference, unit: "ms" },
				{
					figure: "again",
					value: Math.min(...ours.map((round) => median(round.again))),
					unit: "ms",
				},
			],
			how: `Medians of ${rounds} processes per side, with a warm file cache; "again" is a repeated load in the same process, the median of 5 in the fastest process. Loading the code itself is not included.`,
		};
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

function writeTree(root: string): void {
	for (let index = 0; index < workflows; index += 1) {
		const directory = join(root, `workflow-${index}`);
		mkdirSync(directory, { recursive: true });
		const names = Array.from({ length: phases }, (_, phase) => `phase-${phase}.md`);
		writeFileSync(
			join(directory, "workflow.yaml"),
			`name: Workflow ${index}\ncommandName: workflow-${index}\nsessionNamePrefix: "W: "\ninitialMessage: |\n  Start {workflowName} for {description}.\n  Begin with {firstPhaseName}.\nphases:\n${names.map((name) => `  - ${name}\n`).join("")}`,
		);
		names.forEach((name, phase) => {
			writeFileSync(
				join(directory, name),
				`---\nid: phase-${phase}\nname: Phase ${phase}\nemoji: "🔍"\ntools:\n  blacklist:\n    - edit\n    - write\navailableProfiles:\n  - scout\n  - planner\n---\n\n## Phase ${phase}\n\n${"Look at what the task touches and write down what you find. ".repeat(20)}\n`,
			);
		});
	}
}

/** Bundles each loader into one file, with libraries resolved from the checkout. */
async function bundle(folder: string, modules: string): Promise<void> {
	const common = { bundle: true, platform: "node", format: "esm", logLevel: "warning" } as const;
	await build({
		...common,
		entryPoints: [join(modules, "@harms-haus/pi-workflows/src/config/loading.ts")],
		external: ["yaml", "@earendil-works/*"],
		outfile: join(folder, "reference.mjs"),
	});
	await build({
		...common,
		entryPoints: [join(import.meta.dirname, "../packages/pi-chronicle/src/workflow/definitions/index.ts")],
		external: ["yaml", "@humanwhocodes/*", "@earendil-works/*"],
		outfile: join(folder, "ours.mjs"),
	});
	writeFileSync(
		join(folder, "run-reference.mjs"),
		`import { loadWorkflows } from "./reference.mjs";
const started = performance.now();
const loaded = Object.keys(loadWorkflows()).length;
console.log(JSON.stringify({ cold: performance.now() - started, loaded, again: [] }));`,
	);
	writeFileSync(
		join(folder, "run-ours.mjs"),
		`import { loadCatalogue } from "./ours.mjs";
const roots = { globalRoot: ${JSON.stringify(join(folder, "agent", "workflows"))}, projectRoot: undefined };
const started = performance.now();
const first = loadCatalogue(roots);
const cold = performance.now() - started;
const again = [];
for (let turn = 0; turn < 5; turn += 1) {
	const before = performance.now();
	loadCatalogue(roots);
	again.push(performance.now() - before);
}
console.log(JSON.stringify({ cold, loaded: first.definitions.size, again }));`,
	);
}

function run(folder: string, side: "ours" | "reference"): Round {
	const done = spawnSync(process.execPath, [join(folder, `run-${side}.mjs`)], {
		encoding: "utf8",
		env: { PATH: process.env.PATH, HOME: folder, PI_CODING_AGENT_DIR: join(folder, "agent") },
	});
	if (done.status !== 0) throw new Error(`The ${side} loader failed: ${done.stderr}`);
	return JSON.parse(done.stdout) as Round;
}
