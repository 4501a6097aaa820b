// The report page: valid HTML for any run, no injection by a run's texts, no secrets, bounded size.

import type { LedgerEvent } from "@pi-chronicle/core/machine";
import type { ReadLedger } from "@pi-chronicle/core/ports";
import { describe, expect, it } from "vitest";
import {
	ask,
	definition,
	go,
	here,
	newTree,
	open,
	since,
	start,
	type TestRun,
} from "../../../../core/test/machine/test-run.ts";
import { openRedaction } from "../../../src/safety/index.ts";
import { type ReportOptions, writeReport } from "../../../src/ui/report/index.ts";
import { deepIt, sampled } from "../../harness/deep-it.ts";
import { deep } from "../../harness/runs.ts";
import { attribute, expectSound, type Page, textOf } from "./checks.ts";
import {
	alive,
	builtPatch,
	call,
	dayOfWork,
	foldedOnly,
	ledgerOf,
	named,
	patches,
	restWith,
	tree,
	used,
} from "./ledgers.ts";

const fixed: ReportOptions = { zone: "UTC", madeAt: Date.UTC(2030, 0, 2) };

async function pageOf(read: ReadLedger, options: ReportOptions = {}): Promise<Page> {
	return expectSound(await writeReport(read, { ...fixed, ...options }));
}

const two = definition({
	plan: { persona: "P", next: ["build"] },
	build: { persona: "B", next: ["plan", "done"] },
	done: {},
});

describe("the report of a day's work", () => {
	it("states the task, the outcome and the cost", async () => {
		const page = await pageOf(ledgerOf(named(dayOfWork().events, "export")));
		expect(textOf(page.all("h1")[0] as never)).toBe("Monthly invoice export");
		for (const words of [
			"Template export · Run 0000",
			"Let people export their invoices",
			"✓ done",
			"$3.78",
			"1.9M",
			"16m41s",
			"63 % of the limit on cost, $6.00",
		])
			expect(page.text).toContain(words);
	});

	it("counts the workers that were on standby", async () => {
		const { events } = dayOfWork();
		expect((await pageOf(ledgerOf(events))).text).not.toContain("on standby");
		const [, second] = events.filter(({ kind }) => kind === "worker_started");
		const read = ledgerOf(
			events.map((event) => (event === second ? ({ ...event, standby: true } as LedgerEvent) : event)),
		);
		expect((await pageOf(read)).text).toMatch(/\d+ workers \(1 on standby\)/);
	});

	it("draws the path: states, numbered moves, refused moves", async () => {
		const page = await pageOf(ledgerOf(dayOfWork().events));
		const path = page.section("path");
		for (const words of [
			"Planning",
			"Verification",
			"Human intervention",
			"⊘ 4",
			"refused 4: Implementation to Verification",
			"×2 · ",
		])
			expect(path).toContain(words);
		expect(page.section("visit-4")).toContain(
			"→ Human intervention, limit of moves between two states (⊘ Verification was refused)",
		);
	});

	it("draws time by visit, and time and cost by state, with their figures", async () => {
		const page = await pageOf(ledgerOf(dayOfWork().events));
		expect(page.section("time")).toMatch(/Attempt 1: 4m\d\ds, was killed by SIGKILL/);
		expect(page.section("time")).toContain("waiting for approval");
		expect(page.section("visit-1")).toMatch(/Waiting, which is no work: 11h14m .* waiting for approval, 11h00m/);
		expect(page.section("states")).toContain("Implementation 2 4 9m32s $2.62 1.3M");
	});

	it("shows each visit's files, and their lines if the workspace has them", async () => {
		const { events } = dayOfWork();
		const without = await pageOf(ledgerOf(events));
		expect(without.section("visit-2")).toContain("src/invoices/total.ts → src/invoices/sum.ts");
		expect(without.section("visit-2")).not.toContain("PdfWriter");
		const workspace = patches({ [`${tree.planned} ${tree.built}`]: builtPatch });
		const page = await pageOf(ledgerOf(events), { workspace });
		expect(page.section("visit-2")).toContain("export function writeMonth(month: Month, writer: PdfWriter): void {");
		expect(page.section("visit-2")).toContain('16 + "pdf-writer": "4.0.2",');
		expect(page.section("visit-2")).toContain("Not a text file, or too large to keep.");
	});

	it("lists knowledge, decisions, blocked calls, faults, tools", async () => {
		const page = await pageOf(ledgerOf(dayOfWork().events));
		expect(page.section("knowledge")).toContain("rounding Totals are rounded per line");
		expect(page.section("knowledge")).not.toContain("Ask whether drafts belong");
		expect(page.section("people")).toContain("Drafts must not be in the file.");
		expect(page.section("guard")).toContain("rm with a recursive flag outside of the project");
		expect(page.section("guard")).toContain("✓ allowed");
		expect(page.section("incidents")).toContain("The worker was killed by SIGKILL.");
		expect(page.section("tools")).toContain("bash 9 2 1");
		expect(page.section("visit-1")).toContain("Attempt 1: ⊘ asked for implementation; rejected");
	});

	it("is valid at every event of the day", async () => {
		const { events } = dayOfWork();
		for (let length = 1; length <= events.length; length += deep ? 17 : 51)
			await pageOf(ledgerOf(events.slice(0, length)));
	});

	it("is identical for the same ledger", async () => {
		const { events } = dayOfWork();
		expect(await writeReport(ledgerOf(events), fixed)).toBe(await writeReport(ledgerOf(events), fixed));
	});

	it("names its time zone, and uses UTC for an unknown one", async () => {
		const { events } = dayOfWork();
		expect((await pageOf(ledgerOf(events), { zone: "Asia/Kathmandu" })).text).toContain("1 Jan 2030, 05:45 ");
		expect((await pageOf(ledgerOf(events), { zone: "Middle/Earth" })).text).toContain("times in UTC");
	});
});

describe("the question of a waiting run", () => {
	it("is shown with the commands that answer it", async () => {
		const play = open(definition({ plan: { persona: "P", next: ["build"], requires_approval: true }, build: {} }));
		ask(start(play), "build", "The plan stands.");
		restWith(play, []);
		const page = await pageOf(ledgerOf(play.events), { prefix: "pi-chronicle " });
		expect(page.text).toContain("Move from plan to build?");
		expect(page.text).toContain("pi-chronicle approve");
		expect(page.text).toContain("awaiting approval");
	});

	it("is not shown for a running run; a run without a supervisor is interrupted", async () => {
		const play = start(open(two));
		expect((await pageOf(ledgerOf(play.events, { holder: alive }))).text).toContain("● running in Plan");
		expect((await pageOf(ledgerOf(play.events))).text).toContain("‖ interrupted in Plan");
		expect((await pageOf(ledgerOf(play.events, { holder: { ...alive, alive: "no" } }))).text).toContain("interrupted");
	});
});

describe("a run with little data", () => {
	it("of one event has a report", async () => {
		const page = await pageOf(ledgerOf(open(two).events));
		expect(page.text).toContain(
			"There is nothing to show of: states, knowledge, decisions, guard, incidents, tools, files of the run.",
		);
		expect(page.all("h2")).toHaveLength(3);
		expect(page.section("visit-1")).toContain(
			"None here: failures, a summary, changed files, a recorded conversation, work, children, decisions, workers.",
		);
	});

	it("without events has a report of its folded state, which says so", async () => {
		const page = await pageOf(foldedOnly(dayOfWork().run));
		expect(page.text).toContain("The log is gone");
		expect(page.text).toContain("No readable events");
		expect(page.section("history")).toContain("Rounding is per line now");
		expect(page.section("states")).toContain("Implementation");
	});

	deepIt("with invalid events has a report of the others, which says so", async () => {
		const play = dayOfWork();
		const strange = [
			{ kind: "worker_ended", visit: 2, attempt: 1, launch: 1, outcome: { kind: "melted" } },
			{ kind: "worker_ended" },
			{ kind: "moved" },
			{ kind: "tool_ended", visit: 1, attempt: 1 },
			{ kind: "files_measured", visit: 99, purpose: "changes", changes: 7 },
			{ kind: "used", visit: 2, attempt: 1, spend: null },
			{ kind: "snapshot_updated", visit: 1, attempt: 1, by: "person" },
			{ kind: "released", answers: 1, at: "not a time" },
			{ kind: "limits_changed" },
			{},
		];
		const events = play.events.flatMap((event, index) => {
			const extra = index > 4 ? strange[index % strange.length] : undefined;
			return extra ? [event, { at: event.at, ...extra, seq: event.seq } as unknown as LedgerEvent] : [event];
		});
		const late = { ...strange[1], seq: 5000, at: "x" } as unknown as LedgerEvent;
		const page = await pageOf({
			...ledgerOf(play.events),
			async *events() {
				yield* events;
				yield late;
			},
		});
		expect(page.section("path")).toContain("⊘ 4");
		for (const extra of sampled(strange)) {
			const one = { at: "2030-01-03T00:00:00.000Z", ...extra, seq: 9999 } as unknown as LedgerEvent;
			for (const length of [20, 50, 90])
				await pageOf({
					...ledgerOf(play.events),
					async *events() {
						yield* play.events.slice(0, length);
						yield one;
					},
				});
		}
	});

	it("without a workspace, or with one that fails or throws, says why lines are missing", async () => {
		const { events } = dayOfWork();
		const failed = {
			patch: async () =>
				({ ok: false, failure: { reason: "no_git", message: "git is not there", remedy: "" } }) as const,
		};
		expect((await pageOf(ledgerOf(events), { workspace: failed })).section("visit-2")).toContain("git is not there");
		const thrown = {
			patch: async () => {
				throw new Error("broken pipe");
			},
		};
		expect((await pageOf(ledgerOf(events), { workspace: thrown })).section("visit-2")).toContain("broken pipe");
	});
});

/** Texts that try to become something else than text. */
const hostile = [
	"<script>alert(1)</script>",
	"</style><script>alert(1)</script>",
	'"><img src=x onerror=alert(1)>',
	"' onmouseover='alert(1)",
	"</title></svg></desc><svg onload=alert(1)>",
	"<!-- --!> ]]> <![CDATA[",
	"&lt;b&gt; &#x3c;script&#x3e; &amp;",
	"javascript:alert(1)",
	"${alert(1)} {{constructor}}",
	"url(https://example.invalid/x) @import 'x'",
	"\u202Egnp.exe\u202C \u2066hidden\u2069 \u200F",
	"nul \u0000 bell \u0007 escape \u001b[31m",
	"lone \ud800 surrogate",
	"w".repeat(3000),
	"字".repeat(300),
	"👩‍👩‍👧‍👦".repeat(80),
	"line\r\nbreak\u2028and\u2029more\ttab",
	"",
	"   ",
];

/** One text wherever a run has room for one. */
function everywhere(text: string): TestRun {
	const name =
		text
			.replace(/[\p{C}\u2028\u2029]|<->/gu, "")
			.trim()
			.slice(0, 40)
			.trim() || "x";
	const state = ["done", "failed", "human_intervention"].includes(name) ? "x" : name;
	const short =
		text
			.replace(/\p{Cc}/gu, "")
			.trim()
			.slice(0, 150)
			.trim() || "x";
	const play = open(
		definition(
			{
				[state]: { persona: short, next: ["end"], requires_approval: true, description: short, cleanup: [short] },
				end: { persona: "E", next: ["done"] },
				done: {},
			},
			{ name: short },
		),
		{ task: text },
	);
	start(play, tree.planned);
	call(play, text.slice(0, 60) || "bash", text, 5, { blocked: text || "rule" });
	play.say({ kind: "ask_opened", ...here(play), title: text, text });
	play.say({
		kind: "snapshot_updated",
		...here(play),
		by: "worker",
		data: { findings: [{ key: text.slice(0, 80), text }, { text }], pendingTasks: [{ text: `${text}!` }] },
	});
	play.say({ kind: "told", text });
	ask(play, "end", text);
	const path = text || "x";
	restWith(
		play,
		[
			{ path, change: "R", from: `${path}-before`, added: 1, removed: 1 },
			{ path: `${path}.ts`, change: "M" },
		],
		tree.built,
	);
	play.say({ kind: "rejected", answers: since(play), words: text });
	start(play);
	play.say({ kind: "worker_ended", ...here(play), launch: 1, outcome: { kind: "exited", code: 1, detail: text } });
	return play;
}

/** Code points that no report contains: controls but for line breaks and tabs, and what turns the direction of a text. */
const invisible = new Set([
	...Array.from({ length: 32 }, (_, code) => code).filter((code) => code !== 9 && code !== 10),
	...[0x7f, 0x200e, 0x200f, 0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069],
]);

describe("hostile texts", () => {
	it.each(hostile.map((text) => [JSON.stringify(text).slice(0, 40), text]))(
		"are escaped everywhere: %s",
		async (_, text) => {
			const play = everywhere(text);
			const patch = `diff --git a/${text} b/${text}\n--- a/${text}\n+++ b/${text}\n@@ -1 +1 @@ ${text}\n-${text}\n+${text}x\n`;
			const transcripts = [{ key: text, href: `${text}/1.1.jsonl`, bytes: 1 }];
			const page = await pageOf(ledgerOf(named(play.events, text)), {
				workspace: patches(patch),
				transcripts,
				log: text.trim() || "x",
				prefix: text,
				zone: text,
			});
			expect(page.all("script")).toEqual([]);
			expect([...page.html].filter((sign) => invisible.has(sign.codePointAt(0) ?? 0))).toEqual([]);
			expect(page.html).not.toContain("\ufffd\ufffd");
			expect(() => new TextEncoder().encode(page.html)).not.toThrow();
		},
	);

	it("with bidirectional controls show the controls", async () => {
		const page = await pageOf(ledgerOf(everywhere("abc\u202Egnp.exe").events));
		expect(page.text).toContain("abc⟨U+202E⟩gnp.exe");
	});

	it("never change the target of a link", async () => {
		const page = await pageOf(ledgerOf(open(two).events), {
			transcripts: [
				{ key: "1.1", href: "workers/1.1.jsonl", bytes: 10 },
				{ key: "2.1", href: "javascript:alert(1)", bytes: 10 },
				{ key: "3.1", href: "//example.invalid/x", bytes: 10 },
			],
			log: "../a b#c?.jsonl",
		});
		const links = page
			.all("a")
			.flatMap((link) => attribute(link, "href") ?? [])
			.filter((href) => !href.startsWith("#"));
		expect(links).toEqual([
			"./workers/1.1.jsonl",
			"./javascript%3Aalert(1)",
			".///example.invalid/x",
			"../a%20b%23c%3F.jsonl",
		]);
	});
});

describe("secrets", () => {
	const secret = "sk-proj-0123456789abcdefghijkl";

	it("are redacted in every text, values of the environment too", async () => {
		const redact = openRedaction({ DEPLOY_TOKEN: "swordfish-9000" });
		for (const text of [
			secret,
			"password=swordfish12",
			"it is swordfish-9000, really",
			`curl -H 'Authorization: Bearer ${secret}'`,
		]) {
			const play = everywhere(text);
			const patch = `diff --git a/x.ts b/x.ts\n--- a/x.ts\n+++ b/x.ts\n@@ -1 +1,2 @@\n ${text}\n+${text}\n`;
			const html = await writeReport(ledgerOf(named(play.events, text)), {
				...fixed,
				redact,
				workspace: patches(patch),
			});
			for (const word of [secret, "swordfish12", "swordfish-9000"]) expect(html, text).not.toContain(word);
			expect(html).toContain("•••");
		}
	});

	it("are redacted before a text is cut, so that no part of one remains", async () => {
		const text = `${"x".repeat(385)} ${secret}`;
		const html = await writeReport(ledgerOf(everywhere(text).events), fixed);
		expect(html).not.toContain("sk-proj");
	});

	it("in files with secret names are not shown, regardless of their form", async () => {
		const patch = ["config/.env", "keys/deploy.pem", "id_ed25519", ".npmrc"]
			.map(
				(path) =>
					`diff --git a/${path} b/${path}\nnew file mode 100600\n--- /dev/null\n+++ b/${path}\n@@ -0,0 +1 @@\n+plain looking words\n`,
			)
			.join("");
		const play = start(open(two), tree.planned);
		ask(play, "build");
		restWith(
			play,
			["config/.env", "keys/deploy.pem", "id_ed25519", ".npmrc"].map((path) => ({
				path,
				change: "A",
				added: 1,
				removed: 0,
			})),
			tree.built,
		);
		const page = await pageOf(ledgerOf(play.events), { workspace: patches(patch) });
		expect(page.section("visit-1")).toContain("keys/deploy.pem");
		expect(page.text).not.toContain("plain looking words");
	});
});

describe("size", () => {
	deepIt("of 300 visits of 60 states is bounded, and omissions are counted", async () => {
		const name = (index: number) => `state-${index % 60}`;
		const states = Object.fromEntries(
			Array.from({ length: 60 }, (_, index) => [name(index), { persona: "P", next: [name(index + 1), "done"] }]),
		);
		const play = open(definition({ ...states, done: {} }, { limits: { moves: 1000, pair_moves: 1000 } }));
		for (let index = 0; index < 300; index += 1) {
			start(play);
			used(play, 1000, 0.01);
			go(play, index === 299 ? "done" : name(index + 1), "words ".repeat(200));
		}
		const html = await writeReport(ledgerOf(play.events), fixed);
		const page = expectSound(html);
		expect(html.length).toBeLessThan(2_500_000);
		expect(page.text).toContain("1 state without a visit in the diagram.");
		expect(page.section("time")).toContain("… 151 visits are left out here …");
		expect(page.section("visit-301")).toMatch(/^301 Done/);
	});

	it("of states that all lead to each other is bounded", async () => {
		const names = Array.from({ length: 30 }, (_, index) => `s${index}`);
		const states = Object.fromEntries(
			names.map((name) => [name, { persona: "P", next: names.filter((other) => other !== name) }]),
		);
		const play = go(start(open(definition(states))), "s7");
		const page = await pageOf(ledgerOf(play.events));
		expect(page.text).toContain("869 possible moves in the diagram.");
	});

	deepIt("of patches is bounded, by visit, by file and by line", async () => {
		const line = "x".repeat(5000);
		const file = (index: number) =>
			`diff --git a/f${index} b/f${index}\n--- a/f${index}\n+++ b/f${index}\n@@ -0,0 +1,900 @@\n${`+${"y".repeat(60)}\n`.repeat(900)}`;
		const patch = `diff --git a/long b/long\n--- a/long\n+++ b/long\n@@ -0,0 +1 @@\n+${line}\n${Array.from({ length: 40 }, (_, index) => file(index)).join("")}`;
		const play = open(
			definition(
				{ a: { persona: "A", next: ["b"] }, b: { persona: "B", next: ["a", "done"] }, done: {} },
				{ limits: { moves: 500, pair_moves: 500 } },
			),
		);
		for (let visit = 0; visit < 12; visit += 1) {
			start(play);
			ask(play, play.run.state === "a" ? "b" : "a");
			restWith(
				play,
				[
					{ path: "long", change: "M", added: 1, removed: 0 },
					...Array.from({ length: 40 }, (_, index) => ({
						path: `f${index}`,
						change: "M" as const,
						added: 900,
						removed: 0,
					})),
				],
				newTree(),
			);
		}
		const html = await writeReport(ledgerOf(play.events), { ...fixed, workspace: patches(patch) });
		expect(html.length).toBeLessThan(6_000_000);
		const page = expectSound(html);
		expect(page.html).not.toContain("x".repeat(500));
		expect(page.text).toContain("Some lines of visit 12; `diff 12` shows them.");
	});

	it("does not grow with 4000 tool calls", async () => {
		const play = start(open(two));
		const few = (await writeReport(ledgerOf(play.events), fixed)).length;
		const events: LedgerEvent[] = [...play.events];
		for (let index = 0; index < 4000; index += 1) {
			const common = { visit: 1, attempt: 1, call: `c${index}`, tool: "bash", seq: 0, at: "2030-01-01T00:10:00.000Z" };
			events.push({ ...common, kind: "tool_started", args: "x".repeat(500), seq: events.length + 1 });
			events.push({
				...common,
				kind: "tool_ended",
				ms: 5,
				bytes: 9,
				hash: "0".repeat(16),
				blocked: "rule",
				seq: events.length + 1,
			});
		}
		const html = await writeReport(ledgerOf(events), fixed);
		expect(html.length - few).toBeLessThan(300_000);
		expect(html).toContain("3000 more blocked calls are only in the ledger.");
	});
});
