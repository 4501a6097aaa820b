// How long a person waits for a page of a run with 2,000 visits, and what drawing costs while a worker works.
import { KeybindingsManager, TUI_KEYBINDINGS } from "@earendil-works/pi-tui";
import { expect, it, vi } from "vitest";
import { drawTimeline } from "../../../../src/chronicle/ui/screen/index.ts";
import { RunView } from "../../../../src/chronicle/ui/screen/view.ts";
import type { ViewSource } from "../../../../src/chronicle/ui/screen/view-source.ts";
import { paintLine, unpainted } from "../../../../src/tui/index.ts";
import { patient } from "../../../harness/patience.ts";
import { definition, go, open, start } from "../../core/machine/test-run.ts";
import { fiveStates } from "../runs.ts";

const keys = new KeybindingsManager(TUI_KEYBINDINGS);

function longRun() {
	const limits = { moves: 10_000, pair_moves: 10_000, minutes: 100_000, tokens: 90_000_000 };
	const play = open(definition(fiveStates, { limits }));
	go(start(play), "build");
	for (let index = 0; index < 1000; index += 1) {
		go(start(play), "check", "words ".repeat(40));
		go(start(play), "build", "words ".repeat(40));
	}
	return start(play);
}

it("opens any page of 2,000 visits within 150 ms, and the rest follows", { timeout: patient(60_000) }, async () => {
	const play = longRun();
	const source: ViewSource = {
		run: () => play.run,
		watch: () => () => {},
		async *events(after) {
			for (const event of play.events) if (event.seq > after) yield event;
		},
		diff: async () => ({ kind: "none", reason: "No changes." }),
		transcript: () => undefined,
		child: async () => undefined,
	};
	for (const [key, words] of [
		["1", "Check"],
		["2", "No conversation yet."],
		["3", "No changes."],
		["4", "Pending tasks"],
		["5", "The worker started"],
	] as const) {
		const view = new RunView(source, { paint: unpainted, requestRender: () => {} });
		view.handleKey(key, keys);
		const began = performance.now();
		await vi.waitFor(() => expect(view.render(120, 40).join("\n")).toContain(words), {
			timeout: patient(20_000),
			interval: 5,
		});
		expect(performance.now() - began, key).toBeLessThan(patient(150));
		view.dispose();
	}
	const view = new RunView(source, { paint: unpainted, requestRender: () => {} });
	view.handleKey("2", keys);
	// Earlier visits are there once the events have been read.
	await vi.waitFor(
		() => {
			view.handleKey("\u001b[D", keys);
			expect(view.render(120, 40)[0]).toMatch(/visit (?:1|2)\d\d\d Check/);
		},
		{ timeout: patient(20_000), interval: 50 },
	);
	view.dispose();
});

it("draws the timeline with less than 2 % of a core, at one drawing a second", () => {
	const { run } = longRun();
	const draw = () =>
		drawTimeline(run, { width: 160, now: run.updatedAt, prefix: "/chronicle " }).map((line) =>
			paintLine(line, unpainted),
		);
	for (let round = 0; round < 50; round += 1) draw();
	const before = process.cpuUsage();
	for (let round = 0; round < 200; round += 1) draw();
	const { user, system } = process.cpuUsage(before);
	expect((user + system) / 1000 / 200).toBeLessThan(20);
});
