// The recording of the README, made from a real run: a phase that refuses a write, a chronicle that asks, and its report. With UPDATE_IMAGES=1 it
// is rewritten; otherwise the run must still reach every screen that the recording shows.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { styleSheet } from "../src/ui/report/style.ts";
import { call, gate, openBench, say } from "./harness/index.ts";
import { patient } from "./harness/patience.ts";
import { pictureFolder } from "./harness/picture.ts";
import { type Frame, recordingOf, writeRecording } from "./harness/recording.ts";
import { move, onlyRun, withTemplates, worker } from "./runs/bench.ts";

const template = {
	name: "Relay",
	limits: { cost_usd: 5 },
	states: {
		planning: { persona: "Software Architect", next: ["building"], requires_approval: true },
		building: { persona: "Senior Engineer", next: ["review"] },
		review: { persona: "Strict reviewer", next: ["building", "done"] },
		done: {},
	},
};
const files = {
	...withTemplates({ relay: template }),
	".pi/workflows/careful/workflow.yaml":
		'name: Careful change\ncommandName: careful\ninitialMessage: "The task: {description}."\nphases:\n  - look.md\n  - change.md\n',
	".pi/workflows/careful/look.md":
		"---\nid: look\nname: Look\nemoji: 🔍\ntools:\n  allow: [read]\n---\n\nLook, and change nothing yet.\n",
	".pi/workflows/careful/change.md": "---\nid: change\nname: Change\nemoji: 🔧\n---\n\nMake the change.\n",
	"src/total.ts": "export const total = (sums: number[]) => sums.reduce((a, b) => a + b, 0);\n",
};
const pause = { usage: { input: 18_000, output: 900 } };

it(
	"a phase refuses a write, a chronicle asks, and the report shows what happened",
	async () => {
		const held = gate();
		const { project, tui } = await openBench({
			files,
			git: true,
			settings: { chronicle: { workflow: { countdown: 0 } } },
			script: {
				[worker("planning")]: [
					call(
						"write",
						{ path: "docs/plan.md", content: "# Plan\n\n1. Parse the month\n2. Filter the receipts\n" },
						pause,
					),
					move("building", "Two steps: parse the month, then filter. No new dependency.", pause),
				],
				[worker("building")]: [
					call(
						"write",
						{ path: "src/month.ts", content: "export const ofMonth = (day: string) => day.slice(0, 7);\n" },
						pause,
					),
					call("bash", { command: "sleep 2" }, pause),
					move("review", "Built, with tests.", pause),
				],
				[worker("review")]: [move("done", "The totals are right.", pause)],
				"*": [
					call("write", { path: "src/total.ts", content: "export const total = 0;\n" }, pause),
					call(
						"workflow_step",
						{ action: "next", summary: "Only src/total.ts changes." },
						{ ...pause, after: held.opened },
					),
					call("edit", { path: "src/total.ts", edits: [{ oldText: "a + b, 0", newText: "a + b, 0n" }] }, pause),
					call("workflow_step", { action: "next" }, pause),
					say("Done.", pause),
				],
			},
		});
		const frames: Frame[] = [];
		const pi = await tui({ cols: 104, rows: 30 });
		const show = (caption: string, seconds: number): void => {
			frames.push({ content: pi.snapshot(), seconds, caption });
		};
		pi.type("/workflow careful a total that counts cents");
		await pi.waitForScreen("counts cents");
		await pi.press("escape");
		show("A workflow: phases with instructions and tool limits", 1.5);
		await pi.press("enter");
		await pi.waitForScreen(/This phase may not write/, 30_000);
		show("The phase Look may only read: a write is refused, with what to do instead", 2.5);
		held.open();
		await pi.waitForScreen(/1\. .*Look .*1 refused[\s\S]*total .*1 refused/, 30_000);
		await pi.waitForScreen((screen) => !screen.includes("Working"));
		show("The next phase made the change; the summary says what each phase took", 2.5);
		await pi.submit("/chronicle relay Export the receipts of one month");
		await pi.waitForScreen("Approve: move to building", 30_000);
		await pi.still();
		show("A chronicle: each state is done by a fresh agent, and it asks before it goes on", 3);
		pi.type("d");
		await pi.waitForScreen("a approve · r reject");
		show("What the state has changed; a approves from here", 1.5);
		pi.type("a");
		await pi.waitForScreen("▸ bash sleep 2", 30_000);
		show("While a worker works: what it does, what it costs, what comes next", 2.5);
		await pi.waitForScreen(/Relay [0-9a-f]{8}: done/, 30_000);
		await pi.still();
		show("At the end: what it took, and what to look at next", 2.5);
		await pi.submit("/chronicle report");
		await pi.waitForScreen("Wrote the report", 20_000);
		const html = readFileSync(project.path(`.pi/chronicle/sessions/${onlyRun(project)}/report.html`), "utf8");
		frames.push({
			content: reportFrame(html),
			seconds: 4,
			caption: "The report: one file, with the path taken",
		});

		expect(frames.reduce((sum, { seconds }) => sum + seconds, 0)).toBe(20);
		if (process.env.UPDATE_IMAGES === "1") writeRecording("recording", frames, "pi-chronicle in twenty seconds");
		// The recording in the documents has the same frames.
		const written = readFileSync(join(pictureFolder, "recording.svg"), "utf8");
		const description = (svg: string) => /<desc>([\s\S]*?)<\/desc>/.exec(svg)?.[1];
		expect(description(written)).toBe(description(recordingOf(frames, "")));
		expect(written).not.toMatch(/<script|href=/);
	},
	patient(180_000),
);

/** The drawing of the path, as it is in the report, on its page's color. */
function reportFrame(html: string): { markup: string; width: number; height: number } {
	const [svg = ""] = /<svg[^>]*aria-labelledby="path-t[\s\S]*?<\/svg>/.exec(html) ?? [];
	expect(svg).not.toBe("");
	const [, drawnWidth = "0", drawnHeight = "0"] = /viewBox="0 0 (\d+(?:\.\d+)?) (\d+(?:\.\d+)?)"/.exec(svg) ?? [];
	const scale = 840 / Number(drawnWidth);
	const height = Math.round(Number(drawnHeight) * scale + 48);
	const drawing = svg.replace(
		/<svg[^>]*>/,
		`<svg class="drawing" width="${drawnWidth}" height="${drawnHeight}" viewBox="0 0 ${drawnWidth} ${drawnHeight}">`,
	);
	const style = styleSheet
		.replace(/@media \(prefers-color-scheme:dark\)\{[^}]*\}\}/, "")
		.replace(/@media[\s\S]*$/, "")
		.replaceAll(":root", "svg");
	expect(style).toContain(".node");
	return {
		width: 888,
		height,
		markup: `<style>${style}</style><rect width="888" height="${height}" rx="8" fill="#f6f5f2"/><g transform="translate(24 24) scale(${scale.toFixed(3)})">${drawing}</g>`,
	};
}
