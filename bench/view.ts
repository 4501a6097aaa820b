// How long each page of the run view takes for a run of 2,000 visits, from the key to its contents.
import { setTimeout as sleep } from "node:timers/promises";
import { KeybindingsManager, TUI_KEYBINDINGS } from "@earendil-works/pi-tui";
import { unpainted } from "../packages/pi-chronicle/src/tui/index.ts";
import { RunView } from "../packages/pi-chronicle/src/ui/screen/view.ts";
import { openManyVisits, pagesOfManyVisits } from "../packages/pi-chronicle/test/ui/screen/many-visits.ts";
import { type Figures, median } from "./figure.ts";

const rounds = 9;
const mostMs = 10_000;

export async function bench(): Promise<Figures> {
	const source = openManyVisits();
	const keys = new KeybindingsManager(TUI_KEYBINDINGS);
	const opened = async (key: string, words: string): Promise<number> => {
		const view = new RunView(source, { paint: unpainted, requestRender: () => {} });
		const began = performance.now();
		view.handleKey(key, keys);
		while (!view.render(120, 40).join("\n").includes(words)) {
			if (performance.now() - began > mostMs) throw new Error(`Page ${key} does not show "${words}".`);
			await sleep(1);
		}
		const ms = performance.now() - began;
		view.dispose();
		return ms;
	};
	const pages: number[] = [];
	for (const [key, words] of pagesOfManyVisits) {
		const times: number[] = [];
		for (let round = 0; round < rounds; round += 1) times.push(await opened(key, words));
		pages.push(median(times));
	}
	return {
		name: "view",
		rows: [{ figure: "the slowest page of 2,000 visits", value: Math.max(...pages), unit: "ms", must: { most: 150 } }],
		how: `Median of ${rounds} openings of each page, from the key to the first rendering with its contents.`,
	};
}
