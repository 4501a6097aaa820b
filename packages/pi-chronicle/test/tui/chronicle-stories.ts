// Stories of chronicles whose screens are compared: a run that asks, works, is rewound and ends; and runs that stop for a reason.

import { call, fail, gate, say } from "../harness/index.ts";
import { move, withTemplates, worker } from "../runs/bench.ts";
import type { Story } from "./story.ts";

const feature = {
	name: "Feature implementation",
	limits: { cost_usd: 5, tokens: 2_000_000, minutes: 90 },
	states: {
		planning: { persona: "Software Architect", next: ["implementation"], requires_approval: true },
		implementation: { persona: "Senior Engineer", next: ["verification", "planning"] },
		verification: { persona: "Tester", next: ["implementation", "done"] },
		done: {},
	},
};
const month = "export const ofMonth = (day: string) => day.slice(0, 7);\n";
const rules = "bashToolPatterns:\n  - pattern: deploy\n    reason: A deployment needs your consent\n    ask: true\n";
const usage = { usage: { input: 18_000, output: 900 } };

/** A run from its first question to its end. */
export function runStory(): Story {
	const working = gate();
	const verifying = gate();
	return {
		bench: {
			files: {
				...withTemplates({ feature }),
				"src/month.ts": "export const ofMonth = (day: string) => day;\n",
				"deploy.sh": "echo deployed\n",
				".pi/damage-control-rules.yaml": rules,
			},
			git: true,
			script: {
				[worker("planning")]: [
					call("write", { path: "docs/plan.md", content: "# Plan\n\n1. The option\n2. Its tests\n" }, usage),
					move("implementation", "Two steps: the option, then its tests.\nNo new dependency.", usage),
				],
				[worker("implementation")]: [
					call("write", { path: "src/month.ts", content: month }, usage),
					call(
						"workflow_update_snapshot",
						{
							findings: ["Dates are ISO 8601, so a month is a prefix."],
							pending_tasks: ["Say it in the README"],
						},
						usage,
					),
					call("bash", { command: "sh deploy.sh --stage" }, { ...usage, after: working.opened }),
					move("verification", "Built, with tests.", usage),
					move("verification", "Built again.", usage),
				],
				[worker("verification")]: [
					call("read", { path: "src/month.ts" }, { ...usage, after: verifying.opened }),
					move("done", "The totals are right.", usage),
				],
			},
		},
		async play({ pi, server, page, examine, look, leave }) {
			await pi.submit("/chronicle feature Export the receipts of one month with --month");
			await pi.waitForScreen("Follow it with /chronicle view.");
			await pi.waitForScreen("a   Approve: move to implementation", 60_000);
			await page("approval", "a   Approve: move to implementation");
			for (const [key, name, sign] of [
				["d", "approval, changes", "a approve · r reject"],
				["r", "approval, rejection", "What should change in planning?"],
				["s", "approval, another state", "Which state is next?"],
				["t", "approval, message", "What should the next worker know?"],
			] as const) {
				pi.type(key);
				await pi.waitForScreen(sign);
				await page(name, sign);
				await pi.press("escape");
				await pi.waitForScreen("a   Approve: move to implementation");
			}
			await leave();
			await pi.waitForScreen("Alt+A answers");
			await page("postponed", "Alt+A answers");
			await look("/chronicle status", "status, waiting", "── Status");
			pi.type("\u001ba");
			await pi.waitForScreen("a   Approve: move to implementation");
			pi.type("a");
			await pi.waitForScreen("Implementation [●]", 60_000);
			await pi.waitForScreen("1 file +1 −1", 60_000);
			await page("working", "1 file +1 −1");
			await pi.submit("/chronicle view");
			await pi.waitForScreen("[1 History]");
			for (const [key, name, sign] of [
				["1", "view, history", "[1 History]"],
				["2", "view, transcript", "[2 Transcript]"],
				["3", "view, diff", "[3 Diff]"],
				["4", "view, knowledge", "[4 Knowledge]"],
			] as const) {
				pi.type(key);
				await pi.waitForScreen(sign);
				await page(name, sign);
			}
			pi.type("5");
			await pi.waitForScreen("[5 Events]");
			await examine("view, events", "[5 Events]");
			await leave();
			working.open();
			await pi.waitForScreen("n → No", 60_000);
			await page("guard question", "n → No");
			pi.type("y");
			await pi.waitForScreen("Verification [●]", 60_000);
			// The worker's request decides the message to its successor.
			await server.waitForRequest(({ users }) => users[0]?.includes(worker("verification")) ?? false, 60_000);
			await pi.submit("/chronicle rewind 2");
			await pi.waitForScreen("── Rewind");
			await page("rewind question", "── Rewind");
			await pi.press("down", "enter");
			await pi.waitForScreen("↶", 60_000);
			await page("rewound", "↶");
			await look("/chronicle view", "rewound, history", "[1 History]");
			await look("/chronicle status", "rewound, status", "── Status");
			verifying.open();
			await pi.submit("/chronicle resume");
			await pi.waitForScreen(/Feature implementation [0-9a-f]{8}: done/, 60_000);
			await page("end", "Put the result");
			for (const [command, name, sign] of [
				["/chronicle", "list", "Esc closes"],
				["/chronicle show feature", "show", "Esc closes"],
				["/chronicle check", "check", "Esc closes"],
				["/chronicle help", "help", "Esc closes"],
				["/chronicle diff", "diff", "Esc closes"],
			] as const)
				await look(command, name, sign);
			await pi.submit("/chronicle remove last");
			await pi.waitForScreen("── Remove");
			await page("remove question", "── Remove");
			await leave();
		},
	};
}

/** Runs that stop for a reason: each says it in the timeline, in `status` and in the list. */
export function reasonStory(): Story {
	const states = {
		build: { persona: "Builder", next: ["check"] },
		check: { persona: "Checker", next: ["build", "done", "failed"] },
		done: {},
		failed: {},
	};
	return {
		bench: {
			files: withTemplates({
				fails: { name: "Fails", states },
				loops: { name: "Loops", states, limits: { pair_moves: 1 } },
				outage: { name: "Outage", states: { build: { persona: "Unlucky", next: ["done"] }, done: {} } },
				costs: {
					name: "Costs",
					states: { build: { persona: "Expensive", next: ["done"] }, done: {} },
					limits: { cost_usd: 0.01 },
				},
			}),
			git: true,
			settings: { retry: { enabled: false } },
			script: ({ users }) => {
				const text = users.join("\n");
				if (text.includes("It is unlucky")) return fail(401, "The key is not valid");
				if (text.includes("It is expensive"))
					return call("bash", { command: "true" }, { usage: { input: 40_000, output: 900 } });
				if (text.includes('the state "build"')) return move("check", "Built.");
				return text.includes("It loops")
					? move("build", "Not yet.")
					: move("failed", "The tests need a database.\nIt is not here.");
			},
		},
		async play({ pi, page, look }) {
			for (const [template, task, name, sign] of [
				["fails", "It fails", "failed", "The tests need a database."],
				["loops", "It loops", "escalated", "human intervention"],
				["outage", "It is unlucky", "paused", "paused"],
				["costs", "It is expensive", "limit", "limit reached"],
			] as const) {
				await pi.submit(`/chronicle ${template} ${task}`);
				await pi.waitForScreen(sign, 60_000);
				await page(name, sign);
				await look("/chronicle status", `${name}, status`, "── Status");
				if (name === "failed") continue;
				await pi.submit("/chronicle abort Enough");
				await pi.waitForScreen("aborted", 60_000);
			}
			await page("aborted", "aborted");
			await look("/chronicle", "list", "Esc closes");
		},
	};
}

/** A plan that is drafted, and the question about it. */
export function planStory(): Story {
	const path = ".pi/chronicle/workflows/month.yaml";
	const draft = `Two parts, so a chronicle.

\`\`\`yaml file=${path}
name: Month option
limits: { cost_usd: 2 }
states:
  plan: { persona: architect, tools: [read, grep], next: [build], requires_approval: true }
  build: { persona: engineer, next: [done] }
\`\`\`
`;
	return {
		bench: {
			files: { "package.json": { scripts: { test: "node --test" } }, "src/cli.js": "" },
			script: {
				"Draft a definition for pi-chronicle": [call("read", { path: "package.json" }, usage), say(draft, usage)],
			},
		},
		async play({ pi, page, leave }) {
			await pi.submit("/plan Export the receipts of one month");
			await pi.waitForScreen("l → Later", 60_000);
			await page("plan", "l → Later");
			await leave();
			await pi.waitForScreen("The plan waits");
			await page("postponed plan", "The plan waits");
		},
	};
}
