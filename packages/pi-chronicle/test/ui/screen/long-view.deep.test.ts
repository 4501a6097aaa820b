// The run view of a run with 2,000 visits; `npm run bench view` measures how long its pages take.
import { KeybindingsManager, TUI_KEYBINDINGS } from "@earendil-works/pi-tui";
import { expect, it, vi } from "vitest";
import { unpainted } from "../../../src/tui/index.ts";
import { RunView } from "../../../src/ui/screen/view.ts";
import { patient } from "../../harness/patience.ts";
import { openManyVisits, pagesOfManyVisits } from "./many-visits.ts";

const keys = new KeybindingsManager(TUI_KEYBINDINGS);

it("shows any page of 2,000 visits, and the earlier visits once they are loaded", {
	timeout: patient(60_000),
}, async () => {
	const source = openManyVisits();
	for (const [key, words] of pagesOfManyVisits) {
		const view = new RunView(source, { paint: unpainted, requestRender: () => {} });
		view.handleKey(key, keys);
		await vi.waitFor(() => expect(view.render(120, 40).join("\n")).toContain(words), {
			timeout: patient(20_000),
			interval: 5,
		});
		view.dispose();
	}
	const view = new RunView(source, { paint: unpainted, requestRender: () => {} });
	view.handleKey("2", keys);
	await vi.waitFor(
		() => {
			view.handleKey("\u001b[D", keys);
			expect(view.render(120, 40)[0]).toMatch(/visit (?:1|2)\d\d\d Check/);
		},
		{ timeout: patient(20_000), interval: 50 },
	);
	view.dispose();
});
