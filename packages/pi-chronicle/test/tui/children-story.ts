// The story of a run with two children: one asks for an approval while the other works; then both end.

import { call, gate } from "../harness/index.ts";
import { move, withTemplates, worker } from "../runs/bench.ts";
import type { Story } from "./story.ts";

const usage = { usage: { input: 18_000, output: 900 } };
const month = {
	name: "Month option",
	limits: { cost_usd: 5 },
	states: {
		build: {
			branches: {
				reader: {
					task: "Read the month from the command line",
					run: {
						states: {
							design: { persona: "Software Architect", next: ["coding"], requires_approval: true },
							coding: { persona: "Senior Engineer", next: ["done"] },
							done: {},
						},
					},
				},
				table: {
					task: "Draw the table of one month",
					run: { states: { drawing: { persona: "Senior Engineer", next: ["done"] }, done: {} } },
				},
			},
			next: ["check"],
		},
		check: { persona: "Tester", next: ["done"] },
		done: {},
	},
};

export function childrenStory(): Story {
	const drawing = gate();
	const checking = gate();
	return {
		bench: {
			files: { ...withTemplates({ month }), "src/month.ts": "export const ofMonth = (day: string) => day;\n" },
			git: true,
			script: {
				[worker("design")]: [move("coding", "An option --month, read once.", usage)],
				[worker("coding")]: [
					call("write", { path: "src/option.ts", content: "export const option = 1;\n" }, usage),
					move("done", "The option is there.", usage),
				],
				[worker("drawing")]: [
					call("write", { path: "src/table.ts", content: "export const table = 1;\n" }, usage),
					move("done", "The table is there.", { ...usage, after: drawing.opened }),
				],
				[worker("check")]: [move("done", "Both parts fit.", { ...usage, after: checking.opened })],
			},
		},
		async play({ pi, server, page, look, leave }) {
			await pi.submit("/chronicle month Export the receipts of one month");
			await pi.waitForScreen("a   Approve: move to coding", 60_000);
			// Both calls of the other child are known by then.
			await server.waitForRequest(({ users, results }) => about(users, "drawing") && results.length > 0, 60_000);
			await page("approval of a child", "a   Approve: move to coding");
			await leave();
			await page("waiting", "? reader");
			await pi.submit("/chronicle view");
			await pi.waitForScreen("[1 History]");
			pi.type("6");
			await pi.waitForScreen("[6 Children]");
			await page("view, children", "[6 Children]");
			await pi.press("down", "enter");
			await pi.waitForScreen("Esc to the parent");
			await page("view of a child", "Esc to the parent");
			await pi.press("escape");
			await pi.waitForScreen("[6 Children]");
			await leave();
			await look("/chronicle status", "status", "── Status");
			// Then only the question is left.
			drawing.open();
			await pi.waitForScreen("Alt+A answers", 60_000);
			await page("only a question is left", '"reader" waits');
			pi.type("\u001ba");
			await pi.waitForScreen("a   Approve: move to coding");
			pi.type("a");
			await server.waitForRequest(({ users }) => about(users, "check"), 60_000);
			await pi.waitForScreen("Check [●]", 60_000);
			await page("joined", "Check [●]");
			checking.open();
			await pi.waitForScreen(/Month option [0-9a-f]{8}: done/, 60_000);
			await page("end", "Put the result");
		},
	};
}

const about = (users: readonly string[], state: string) => users[0]?.includes(worker(state)) ?? false;
