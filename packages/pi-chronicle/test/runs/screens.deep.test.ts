// A run in the terminal: every stage at several widths, the answers of an approval by keys, and the pictures of the
// documents. UPDATE_IMAGES=1 redraws the pictures.
import { describe, expect, it } from "vitest";
import { deepIt } from "../harness/deep-it.ts";
import { call, expectPicture, gate, openBench, type PictureOptions, type Tui } from "../harness/index.ts";
import { patient } from "../harness/patience.ts";
import { ledgerOf, move, withTemplates, worker } from "./bench.ts";

const template = {
	name: "Feature implementation",
	limits: { cost_usd: 5, tokens: 2_000_000, minutes: 90 },
	states: {
		planning: { persona: "Software Architect", next: ["implementation"], requires_approval: true },
		implementation: { persona: "Senior Engineer", next: ["verification", "planning"] },
		verification: { persona: "Tester", next: ["implementation", "done"] },
		done: {},
	},
};
const month = `export interface Receipt {
	readonly date: string;
}

/** Receipts of one month, such as \`2030-01\`. */
export function ofMonth(receipts: readonly Receipt[], month: string): Receipt[] {
	return receipts.filter(({ date }) => date.startsWith(month));
}
`;
const widths = [40, 80, 160];
const mask: NonNullable<PictureOptions["mask"]> = [
	[/\b[0-9a-f]{8}\b/g, "5f2c81d0"],
	[/\b(?:\d+m)?\d+s\b/g, "9s"],
];

/** Goes down to an answer, key by key, and takes it. */
async function answer(pi: Tui, words: string): Promise<void> {
	// The marked answer, not the screen: that changes by itself, and a list that is not there yet takes no key.
	const marked = (screen: string) => /^.{0,4}→ .*$/m.exec(screen)?.[0];
	await pi.waitForScreen((screen) => marked(screen) !== undefined);
	for (let step = 0; step < 6 && !pi.screen().includes(`→ ${words}`); step += 1) {
		const before = marked(pi.screen());
		await pi.press("down");
		await pi.waitForScreen((screen) => marked(screen) !== before);
	}
	await pi.waitForScreen(`→ ${words}`);
	await pi.press("enter");
}

/** Compares the screen with a picture of the documents; times may be longer here and shift the text after them to the right. */
function expectDrawn(pi: Tui, name: string, title: string, rows: [number, number]): void {
	expectPicture(pi.snapshot(), name, { title, mask, rows, loose: true });
}

/** The screen as one text: what a width breaks into lines reads on. */
const read = (pi: Tui) => pi.screen().replace(/\s+/g, " ");

/** At every width, all of these words are on the screen. */
async function atEveryWidth(pi: Tui, rows: number, words: readonly string[], last = "0.0%/200k"): Promise<void> {
	for (const cols of widths) {
		pi.resize(cols, rows);
		await drawn(pi, cols, last);
		await pi.waitForScreen(() => words.every((word) => read(pi).includes(word)));
	}
	pi.resize(100, 34);
	await drawn(pi, 100, last);
}

/** Waits until the screen has been drawn at this width: every one of ours has a rule from edge to edge, and ends with `last`. */
async function drawn(pi: Tui, cols: number, last: string): Promise<void> {
	const isRule = (line: string) => line.length === cols && line.endsWith("──");
	await pi.waitForScreen(() => {
		const lines = pi.lines();
		const rule = lines.findLastIndex(isRule);
		return (
			lines.every((line) => line.length <= cols) &&
			lines.slice(rule + 1).some((line) => line.includes(last)) &&
			rule >= 0
		);
	});
	await pi.still(150);
}

describe("a run on the screen", () => {
	deepIt(
		"shows at 40, 80 and 160 columns its state, cost, changes and pending question",
		async () => {
			const held = gate();
			const { server, tui } = await openBench({
				files: {
					...withTemplates({ feature: template }),
					"src/month.ts": month.replace("startsWith(month)", "includes(month)"),
					"test.mjs": "setTimeout(() => {}, 60_000);\n",
				},
				git: true,
				script: {
					[worker("planning")]: [
						call("write", { path: "docs/plan.md", content: "# Plan\n\n1. The option\n2. Its tests\n" }),
						move("implementation", "Two steps: the option, then its tests.\nNo new dependency."),
					],
					[worker("implementation")]: [
						call("write", { path: "src/month.ts", content: month }),
						call("workflow_update_snapshot", {
							data: {
								findings: ["Dates are ISO 8601, so a month is a prefix."],
								pending_tasks: ["Say it in the README"],
							},
						}),
						call("bash", { command: "node test.mjs --month 2030-01" }, { after: held.opened }),
					],
				},
			});
			server.lenient();
			const pi = await tui({ cols: 100, rows: 34 });
			await pi.submit("/chronicle feature Export the receipts of one month with --month");
			await pi.waitForScreen("Approve: move to implementation", 30_000);
			await atEveryWidth(
				pi,
				44,
				[
					"Feature implementation",
					"Planning [?] -> Implementation [ ]",
					"Move from planning to implementation?",
					"Two steps: the option, then its tests.",
					"A docs/plan.md +4 −0",
					"So far: $0.00",
					"Review the changes",
					"Later",
					"Esc later",
				],
				"Esc later",
			);
			await pi.waitForScreen("A docs/plan.md +4 −0");
			expectDrawn(pi, "chronicle-approval", "A chronicle that asks before it goes on", [0, 34]);

			await answer(pi, "Approve: move to implementation");
			await pi.waitForScreen("Implementation [●]", 20_000);
			await server.waitForRequest((request) => request.results.length === 2, 20_000);
			held.open();
			await pi.waitForScreen("▸ bash node test.mjs --month 2030-01", 20_000);
			await pi.waitForScreen("1 file +1 −1", 20_000);
			await atEveryWidth(pi, 30, ["running", "Planning [✓]", "Implementation [●]", "Senior Engineer", "1 file +1 −1"]);
			await pi.waitForScreen("1 file +1 −1");
			expectDrawn(pi, "chronicle-working", "The timeline of a chronicle while a worker works", [21, 34]);

			await pi.submit("/chronicle status");
			const status = await pi.waitForScreen("Worker: Senior Engineer");
			expect(status).not.toContain("interrupted");
			expect(status).not.toContain("No process supervises it");
			await pi.press("escape");
			await pi.waitForScreen((screen) => !screen.includes("Esc closes"));

			await pi.submit("/chronicle view");
			// A key that is typed before the view is open belongs to the editor.
			await pi.waitForScreen("[1 History]");
			for (const [key, words] of [
				["1", ["[1 History]", "planning → implementation", "No new dependency."]],
				["2", ["[2 Transcript]", "visit 2 Implementation", "▸ bash node test.mjs"]],
				["4", ["[4 Knowledge]", "Dates are ISO 8601", "Say it in the README", "docs/plan.md"]],
				["5", ["[5 Events]", "▸ bash node test.mjs", "planning → implementation"]],
				["3", ["[3 Diff]", "M src/month.ts +1 −1", "return receipts.filter"]],
			] as const) {
				pi.type(key);
				await pi.waitForScreen(() => words.every((word) => read(pi).includes(word)));
				await atEveryWidth(pi, 34, [words[0].slice(1, -1), "Esc closes"], "Esc closes");
				await pi.waitForScreen(() => words.every((word) => read(pi).includes(word)));
			}
			pi.resize(100, 17);
			await drawn(pi, 100, "Esc closes");
			expectDrawn(pi, "chronicle-view", "What the visit has changed so far, in the run view", [0, 17]);
			await pi.press("left");
			await pi.waitForScreen("A docs/plan.md");
			// Escape as terminals without the kitty keyboard protocol send it.
			pi.type("\u001b");
			await pi.waitForScreen((screen) => !screen.includes("Esc closes"));
			await pi.submit("/chronicle abort");
			await pi.waitForScreen("Put the result", 20_000);
		},
		patient(90_000),
	);

	it(
		"answers an approval by keys: a message, the diff, a rejection with a message, another state",
		async () => {
			const { project, server, tui } = await openBench({
				files: withTemplates({ feature: template }),
				script: {
					[worker("planning")]: [
						move("implementation", "A \u001b[31mred\u001b[0m plan."),
						move("implementation", "A better plan."),
					],
					[worker("verification")]: [move("done", "Nothing to verify.")],
				},
			});
			const pi = await tui({ cols: 100, rows: 34 });
			await pi.submit("/chronicle feature Do it");
			await pi.waitForScreen("A red plan.", 30_000);
			await answer(pi, "Tell the worker something");
			await pi.waitForScreen("What should the next worker know?");
			pi.type("Mind the gap");
			await pi.press("enter");
			await pi.waitForScreen("The next worker reads it.");
			await answer(pi, "Review the changes");
			await pi.waitForScreen("Changes in planning");
			await pi.press("escape");
			await answer(pi, "Reject with a reason");
			await pi.waitForScreen("What should change in planning?");
			pi.type("Name the risks");
			await pi.press("enter");
			await pi.waitForScreen("A better plan.", 20_000);
			expect(server.requests[1]?.users.at(-1)).toContain("Name the risks");
			expect(server.requests[1]?.users.join("\n")).toContain("Mind the gap");
			await answer(pi, "Send to another state");
			await pi.waitForScreen("Which state is next?");
			await answer(pi, "verification");
			await pi.waitForScreen("Message for the worker of verification");
			await pi.press("enter");
			await pi.waitForScreen(/Feature implementation|feature [0-9a-f]{8}: done/, 20_000);
			await pi.waitForScreen("Done [✓]", 20_000);
			expect(ledgerOf(project).history).toMatchObject([
				{ from: "planning", to: "verification", cause: "person" },
				{ from: "verification", to: "done" },
			]);
		},
		patient(60_000),
	);

	deepIt(
		"asks a worker's guard question only while the user is not typing, with the state, the command and the rule",
		async () => {
			const held = gate();
			const { server, project, tui } = await openBench({
				files: {
					...withTemplates({ feature: { states: { build: { persona: "Builder", next: ["done"] } } } }),
					"deploy.sh": "echo deploy > deployed.txt\n",
					".pi/damage-control-rules.yaml":
						"bashToolPatterns:\n  - pattern: deploy\n    reason: Deploying needs a word\n    ask: true\n",
				},
				script: {
					[worker("build")]: [
						call("bash", { command: "sh deploy.sh" }, { after: held.opened }),
						move("done", "Deployed."),
					],
				},
			});
			const pi = await tui({ cols: 90, rows: 34 });
			await pi.submit("/chronicle feature Do it");
			await server.waitForRequest(1, 30_000);
			pi.type("half a thought");
			await pi.waitForScreen("half a thought");
			held.open();
			const told = await pi.waitForScreen("Clear your input line to answer.", 20_000);
			expect(told).toContain("half a thought");
			expect(told).not.toContain("Yes, once");
			await pi.press("ctrl+u");
			const asked = await pi.waitForScreen(/→ No, refuse[\s\S]*Esc refuses/, 20_000);
			for (const words of ["build", "sh deploy.sh", "Deploying needs a word", "Esc refuses"])
				expect(asked.replace(/\s+/g, " ")).toContain(words);
			await answer(pi, "Yes, once");
			await pi.waitForScreen("Done [✓]", 20_000);
			expect(project.read("deployed.txt")).toBe("deploy\n");
		},
		patient(60_000),
	);
});
