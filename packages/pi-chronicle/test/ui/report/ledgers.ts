// Ledgers for reports: test runs of the machine, read the way the store reads them.

import type { LedgerEvent, Run } from "@pi-chronicle/core/machine";
import type { LeaseHolder, ReadLedger, Result, Workspace } from "@pi-chronicle/core/ports";
import type { FileChange } from "@pi-chronicle/core/snapshot";
import {
	ask,
	crash,
	definition,
	here,
	newTree,
	open,
	refold,
	since,
	spend,
	start,
	type TestRun,
} from "../../../../core/test/machine/test-run.ts";

/** A ledger that holds these events. */
export function ledgerOf(events: readonly LedgerEvent[], more: Partial<ReadLedger> = {}): ReadLedger {
	return {
		run: refold(events),
		repairs: [],
		holder: undefined,
		place: "the events of this test",
		folder: "/nowhere",
		async *events(after = 0) {
			for (const event of events) if (event.seq > after) yield event;
		},
		...more,
	};
}

/** The same events with this template name. */
export function named(events: readonly LedgerEvent[], name: string): LedgerEvent[] {
	return events.map((event) =>
		event.kind === "created" ? { ...event, template: { ...event.template, name } } : event,
	);
}

/** A ledger of which only the folded state is left. */
export function foldedOnly(run: Run): ReadLedger {
	return {
		run,
		repairs: ["The log is gone: this is what the last checkpoint says."],
		holder: undefined,
		place: "gone",
		folder: "/nowhere",
		async *events() {},
	};
}

export const alive: LeaseHolder = { host: "here", pid: 1, started: "s", fence: 1, alive: "yes" };

/** A workspace that knows these patches by `<from> <to>`, or one for all. */
export function patches(known: Readonly<Record<string, string>> | string): Pick<Workspace, "patch"> {
	return {
		async patch(from, to, bytes): Promise<Result<string, never>> {
			const text = typeof known === "string" ? known : (known[`${from} ${to}`] ?? "");
			return { ok: true, value: Buffer.from(text).subarray(0, bytes).toString("utf8") };
		},
	};
}

// ── what a worker does, in few words ──

let calls = 0;

/** One finished tool call. */
export function call(
	testRun: TestRun,
	tool: string,
	args: string,
	ms = 400,
	more: { error?: true; blocked?: string } = {},
): void {
	calls += 1;
	const at = { ...here(testRun), call: `call-${calls}`, tool };
	testRun.say({ kind: "tool_started", ...at, args });
	testRun.wait(ms).say({ kind: "tool_ended", ...at, ms, bytes: 40 * args.length, hash: "0123456789abcdef", ...more });
}

/** The conversation has come to this many tokens and this cost. */
export function used(testRun: TestRun, tokens: number, costUsd: number): void {
	const output = Math.round(tokens * 0.06);
	const cacheRead = Math.round(tokens * 0.62);
	const cacheWrite = Math.round(tokens * 0.12);
	const input = tokens - output - cacheRead - cacheWrite;
	testRun.say({
		kind: "used",
		...here(testRun),
		spend: { ...spend(tokens, costUsd), input, output, cacheRead, cacheWrite },
	});
}

/** The worker ends, cleanup runs, files are measured with these changes. */
export function restWith(testRun: TestRun, changes: readonly FileChange[], tree = newTree()): TestRun {
	const { stage } = testRun.run;
	if (stage.kind === "stopping" && stage.launch)
		testRun.say({ kind: "worker_ended", ...stage.launch, outcome: { kind: "stopped" } });
	for (let { stage: now } = testRun.run; now.kind === "stopping"; { stage: now } = testRun.run) {
		const [cleanup] = testRun.run.plan.states.get(now.state)?.cleanup ?? [];
		if (!cleanup || now.index > 0) break;
		testRun.wait(1500).say({ kind: "cleanup_ended", visit: now.visit, index: 0, result: { kind: "exited", code: 0 } });
	}
	const { visit } = testRun.due("measure_files");
	return testRun.say({ kind: "files_measured", visit, purpose: "changes", tree, changes });
}

const minute = 60_000;
const hour = 60 * minute;

/**
 * A day's work with all that happens to a run: a rejected plan, a night's wait, a crash, a blocked call, a ceiling that is raised, a refused
 * move that the user releases.
 */
export function dayOfWork(): TestRun {
	const testRun = open(
		definition(
			{
				planning: { persona: "Software Architect", next: ["implementation"], requires_approval: true },
				implementation: { persona: "Builder", next: ["verification"], cleanup: ["docker compose down"] },
				verification: { persona: "Tester", next: ["implementation", "documentation"] },
				documentation: { persona: "Writer", next: ["done"] },
				done: {},
			},
			{ name: "Monthly invoice export", limits: { cost_usd: 3, tokens: 4_000_000, pair_moves: 2 } },
		),
		{
			task: "Let people export their invoices as PDF, one file a month.\nKeep the totals to the cent; the accountants compare them with last year's.",
		},
	);
	plan(testRun);
	build(testRun);
	check(testRun);
	return testRun;
}

function plan(testRun: TestRun): void {
	start(testRun);
	used(testRun.wait(20_000), 38_000, 0.09);
	call(testRun, "read", '{"path":"src/invoices/total.ts"}', 120);
	call(testRun.wait(9000), "grep", '{"pattern":"roundToCent","path":"src"}', 800);
	call(testRun.wait(4000), "bash", '{"command":"git log --oneline -20 -- src/invoices"}', 300);
	used(testRun.wait(30_000), 124_000, 0.24);
	testRun.say({
		kind: "snapshot_updated",
		...here(testRun),
		by: "worker",
		data: {
			findings: [
				{ key: "rounding", text: "Totals are rounded per line, not per invoice: the export has to do the same." },
				{ text: "There is a font with the € sign in assets/fonts." },
			],
			pendingTasks: [
				{ text: "Ask whether drafts belong into the month's file." },
				{ text: "Page breaks between invoices" },
			],
		},
	});
	ask(
		testRun.wait(50_000),
		"implementation",
		"A plan in three steps: a renderer for one invoice, a month that joins them, a command that writes the file. No new dependency but the PDF writer.",
	);
	restWith(testRun, [{ path: "docs/plan.md", change: "A", added: 48, removed: 0 }]);
	testRun.wait(14 * minute).say({
		kind: "rejected",
		answers: since(testRun),
		words: "Drafts must not be in the file. Please say how you test the totals.",
	});
	start(testRun);
	call(testRun.wait(12_000), "edit", '{"path":"docs/plan.md"}', 90);
	used(testRun.wait(40_000), 171_000, 0.33);
	testRun.say({
		kind: "snapshot_updated",
		...here(testRun),
		by: "worker",
		data: { findings: [{ text: "Drafts are left out of the export." }], resolve: ["t3"] },
	});
	ask(
		testRun.wait(9000),
		"implementation",
		"Drafts are left out. Totals are tested against the last twelve months of the sample books.",
	);
	restWith(testRun, [{ path: "docs/plan.md", change: "A", added: 61, removed: 0 }], tree.planned);
	const { stage } = testRun.wait(11 * hour).run;
	const diff = stage.kind === "asking" ? stage.question.diff : "";
	testRun.say({ kind: "approved", answers: since(testRun), diff, words: "Good. Go on." });
}

/** Names of kept states that patches are made for. */
export const tree = {
	planned: "a".repeat(40),
	built: "b".repeat(40),
	checked: "c".repeat(40),
} as const;

function build(testRun: TestRun): void {
	start(testRun, tree.planned);
	for (let step = 1; step <= 4; step += 1) {
		call(testRun.wait(22_000), "edit", `{"path":"src/export/month-${step}.ts"}`, 150);
		call(testRun.wait(9000), "bash", '{"command":"npm test -- export"}', 14_000, step === 2 ? { error: true } : {});
		used(testRun.wait(15_000), 160_000 * step, 0.31 * step);
	}
	call(testRun.wait(6000), "bash", '{"command":"rm -rf ~/.cache/fonts"}', 5, {
		blocked: "rm with a recursive flag outside of the project",
	});
	testRun.wait(8000);
	crash(testRun);
	restWith(testRun, [{ path: "src/export/month.ts", change: "A", added: 120, removed: 0 }]);
	start(testRun);
	testRun
		.wait(7000)
		.say({ kind: "ask_opened", ...here(testRun), title: "Install pdf-writer?", text: "npm install pdf-writer@4" });
	const question = testRun.events.at(-1)?.seq ?? 0;
	testRun.wait(45_000).say({ kind: "ask_answered", answers: question, verdict: "allowed" });
	call(testRun.wait(2000), "bash", '{"command":"npm install pdf-writer@4"}', 21_000);
	used(testRun.wait(70_000), 905_000, 1.72);
	ask(
		testRun.wait(60_000),
		"verification",
		"The month's file is written, with totals per invoice and for the month; the tests of the renderer pass.",
	);
	restWith(
		testRun,
		[
			{ path: "assets/fonts/Sans.ttf", change: "A" },
			{ path: "package.json", change: "M", added: 1, removed: 0 },
			{ path: "src/export/month.ts", change: "A", added: 164, removed: 0 },
			{ path: "src/invoices/sum.ts", from: "src/invoices/total.ts", change: "R", added: 6, removed: 4 },
		],
		tree.built,
	);
}

function check(testRun: TestRun): void {
	start(testRun, tree.built);
	call(testRun.wait(14_000), "bash", '{"command":"npm test"}', 64_000, { error: true });
	used(testRun.wait(20_000), 210_000, 0.41);
	ask(
		testRun.wait(11_000),
		"implementation",
		"Two of twelve months differ by a cent: the rounding is per invoice. Back to implementation.",
	);
	restWith(testRun, []);
	start(testRun);
	call(testRun.wait(16_000), "edit", '{"path":"src/export/month.ts"}', 200);
	used(testRun.wait(33_000), 260_000, 0.52);
	testRun.wait(5000);
	// The ceiling is reached: the worker ends, and the user raises it in the evening.
	used(testRun, 300_000, 0.6);
	restWith(testRun, []);
	testRun.wait(3 * hour).say({ kind: "limits_changed", limits: { costUsd: 6 } });
	testRun.say({ kind: "resumed", answers: since(testRun), words: "The cent is worth it." });
	start(testRun);
	testRun.wait(9000).say({ kind: "told", text: "Look at how src/invoices/sum.ts rounds before you change anything." });
	used(testRun.wait(80_000), 430_000, 0.9);
	ask(testRun.wait(10_000), "verification", "Rounding is per line now, as in the ledger of invoices.");
	restWith(testRun, [{ path: "src/export/month.ts", change: "M", added: 9, removed: 5 }], tree.checked);
	testRun.wait(25 * minute).say({ kind: "released", answers: since(testRun), words: "Once more is fine." });
	start(testRun);
	call(testRun.wait(11_000), "bash", '{"command":"npm test"}', 61_000);
	used(testRun.wait(14_000), 140_000, 0.27);
	ask(testRun.wait(7000), "documentation", "All twelve months agree to the cent. The suite passes.");
	restWith(testRun, []);
	start(testRun);
	call(testRun.wait(9000), "write", '{"path":"docs/export.md"}', 60);
	used(testRun.wait(26_000), 71_000, 0.15);
	ask(testRun.wait(5000), "done", "The export is described in docs/export.md.");
	restWith(testRun, [{ path: "docs/export.md", change: "A", added: 40, removed: 0 }]);
}

/** A patch of the day's second visit. */
export const builtPatch = `diff --git a/assets/fonts/Sans.ttf b/assets/fonts/Sans.ttf
new file mode 100644
index 0000000..4b1f2d9
Binary files /dev/null and b/assets/fonts/Sans.ttf differ
diff --git a/package.json b/package.json
index 1b2c3d4..5e6f7a8 100644
--- a/package.json
+++ b/package.json
@@ -14,6 +14,7 @@
 	"dependencies": {
 		"fastify": "5.2.1",
+		"pdf-writer": "4.0.2",
 		"pg": "8.13.1"
 	},
diff --git a/src/export/month.ts b/src/export/month.ts
new file mode 100644
index 0000000..90aa1b2
--- /dev/null
+++ b/src/export/month.ts
@@ -0,0 +1,8 @@
+// All invoices of a month in one file.
+import { sum } from "../invoices/sum.ts";
+
+export function writeMonth(month: Month, writer: PdfWriter): void {
+	for (const invoice of month.invoices.filter(({ draft }) => !draft)) writer.page(render(invoice));
+	writer.page(renderTotal(sum(month.invoices)));
+	writer.end();
+}
diff --git a/src/invoices/total.ts b/src/invoices/sum.ts
similarity index 88%
rename from src/invoices/total.ts
rename to src/invoices/sum.ts
index 7c1d2e3..8d2e3f4 100644
--- a/src/invoices/total.ts
+++ b/src/invoices/sum.ts
@@ -3,7 +3,9 @@ import type { Invoice } from "./invoice.ts";
 
-/** The total of an invoice, rounded. */
-export function total({ lines }: Invoice): number {
-	return roundToCent(lines.reduce((all, { price, count }) => all + price * count, 0));
+/** The sum of invoices, rounded line by line as the books are. */
+export function sum(invoices: readonly Invoice[]): number {
+	return invoices.flatMap(({ lines }) => lines).reduce((all, { price, count }) => all + roundToCent(price * count), 0);
 }
`;
