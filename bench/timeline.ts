// Cost of drawing the timeline of a run through 300 states: the rendering alone, and in a real pi in a terminal.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { paintLine, unpainted } from "../packages/pi-chronicle/src/tui/index.ts";
import { drawTimeline } from "../packages/pi-chronicle/src/ui/screen/index.ts";
import { openFolder, openProject, startTui } from "../packages/pi-chronicle/test/harness/index.ts";
import { type Figures, median } from "./figure.ts";
import { longRun, states } from "./fixtures/long-run.ts";

const draws = 200;

export async function bench(): Promise<Figures> {
	const play = longRun();
	const begun = Date.parse(play.run.updatedAt);
	const times = Array.from({ length: draws }, (_, second) => {
		const now = new Date(begun + second * 1000).toISOString();
		const before = process.cpuUsage();
		drawTimeline(play.run, { width: 160, now, prefix: "/chronicle " }).map((line) => paintLine(line, unpainted));
		const { user, system } = process.cpuUsage(before);
		return (user + system) / 1000;
	});
	const ms = median(times.slice(20));
	const extension = await bundled();
	const without = await inTerminal(extension, "off");
	const shown = await inTerminal(extension, "on");
	return {
		name: "timeline",
		rows: [
			{
				figure: "states visited by the run",
				value: play.run.visit,
				unit: "states",
				must: { least: states },
			},
			{ figure: "one rendering, 160 columns", value: ms, unit: "ms" },
			{ figure: "one core, rendering once a second", value: ms / 10, unit: "%", must: { most: 2 } },
			{ figure: "one core, pi in a terminal without the timeline", value: without, unit: "%" },
			{ figure: "one core, pi in a terminal with the timeline", value: shown, unit: "%", must: { most: 2 } },
		],
		how: `A run through ${states} states; median CPU of ${draws - 20} renderings after a warm-up of 20. In the terminal (160 × 50) its worker reports four times a second for 20 s; the figure is all CPU of pi's process, without the terminal's own.`,
	};
}

/** The extension as one file: otherwise pi would compile the sources at every start, and distort the figure. */
async function bundled(): Promise<string> {
	const outfile = `${openFolder()}/long-timeline.mjs`;
	await build({
		entryPoints: [fileURLToPath(new URL("fixtures/long-timeline.ts", import.meta.url))],
		outfile,
		bundle: true,
		platform: "node",
		format: "esm",
		external: ["@earendil-works/*", "typebox"],
		alias: { yaml: fileURLToPath(new URL("../node_modules/yaml/browser/index.js", import.meta.url)) },
		logLevel: "error",
	});
	return outfile;
}

/** CPU of pi in percent of one core. */
async function inTerminal(extension: string, timeline: "on" | "off"): Promise<number> {
	const project = await openProject({});
	const out = project.path("share.txt");
	const tui = await startTui(project, {
		cols: 160,
		rows: 50,
		model: null,
		package: "none",
		extensions: [extension],
		env: { LONG_TIMELINE: timeline, LONG_TIMELINE_OUT: out },
	});
	for (const until = Date.now() + 60_000; !project.exists("share.txt"); ) {
		if (Date.now() > until) throw new Error(`Nothing was measured:\n${tui.screen()}`);
		await new Promise((resolve) => setTimeout(resolve, 500));
	}
	await tui.close();
	return Number(readFileSync(out, "utf8"));
}
