// What drawing the timeline of a long run costs: 300 visits of 60 states, drawn once a second as the widget does at most.
import { drawTimeline, paintLine, unpainted } from "../src/chronicle/screen/index.ts";
import { definition, go, here, open, spend, start } from "../test/chronicle/machine/theatre.ts";
import { type Figures, median } from "./figure.ts";

const states = 60;
const visits = 300;
const draws = 200;

export async function bench(): Promise<Figures> {
	const name = (index: number) => `state-${index % states}`;
	const ring = Object.fromEntries(
		Array.from({ length: states }, (_, index) => [name(index), { persona: "Worker", next: [name(index + 1)] }]),
	);
	const play = start(open(definition(ring, { limits: { moves: 1000, pair_moves: 100, cost_usd: 1000 } })));
	for (let visit = 1; visit < visits; visit++) {
		play.say({ kind: "used", ...here(play), spend: spend(visit * 100, visit * 0.001) });
		go(play, name(visit), `visit ${visit} is done`);
		start(play);
	}
	play.say({ kind: "tool_started", ...here(play), call: "c", tool: "bash", args: "npm test" });
	const begun = Date.parse(play.run.updatedAt);
	const times = Array.from({ length: draws }, (_, second) => {
		const now = new Date(begun + second * 1000).toISOString();
		const before = process.cpuUsage();
		drawTimeline(play.run, { width: 160, now, prefix: "/chronicle " }).map((line) => paintLine(line, unpainted));
		const { user, system } = process.cpuUsage(before);
		return (user + system) / 1000;
	});
	const ms = median(times.slice(20));
	return {
		name: "timeline",
		rows: [
			{ figure: "visits of the run", value: play.run.visit, unit: "visits", must: { least: visits } },
			{ figure: "drawing once, 160 columns", value: ms, unit: "ms" },
			{ figure: "share of one core at one drawing a second", value: ms / 10, unit: "%", must: { most: 2 } },
		],
		how: `${visits} visits of ${states} states; median CPU of ${draws - 20} drawings after 20 to warm up. The terminal's own work of showing the lines is not in it.`,
	};
}
