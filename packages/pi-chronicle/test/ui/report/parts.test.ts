// The calculations of the report: parsing patches, collapsing idle time, truncating texts, counting moves.

import type { LedgerEvent } from "@pi-chronicle/core/machine";
import { isSecretFile, readPatch } from "@pi-chronicle/core/snapshot";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { definition, go, open, start } from "../../../../core/test/machine/test-run.ts";
import { openRedaction } from "../../../src/safety/index.ts";
import { titleOf } from "../../../src/ui/phrases/index.ts";
import { writeReport } from "../../../src/ui/report/index.ts";
import { escapeText, openHtml, shorten } from "../../../src/ui/report/markup.ts";
import { arcsOf, pathOf } from "../../../src/ui/report/path.ts";
import { readReportModel } from "../../../src/ui/report/read-model.ts";
import { axisTime, timeAxis } from "../../../src/ui/report/time-axis.ts";
import { builtPatch, dayOfWork, ledgerOf } from "./ledgers.ts";

const asIs = (text: string): string => text;

it("the report opens at the last visit that did something, as the page does", async () => {
	const opensAt = async (events: readonly LedgerEvent[]): Promise<(string | undefined)[]> =>
		[...(await writeReport(ledgerOf(events))).matchAll(/<section class="visit first[^"]*" id="visit-(\d+)"/g)].map(
			([, number]) => number,
		);
	const day = dayOfWork();
	expect([day.run.visit, ...(await opensAt(day.events))]).toEqual([8, "7"]);
	const begun = start(open(definition({ plan: { persona: "P", next: [] } })));
	expect(await opensAt(begun.events)).toEqual(["1"]);
	expect(await opensAt(open(definition({ plan: { persona: "P", next: [] } })).events), "no worker yet").toEqual(["1"]);
});

describe("a patch", () => {
	it("is read file by file, with kinds, names and line numbers", () => {
		const files = readPatch(builtPatch, asIs).map(({ path, from, change, binary, added, removed }) => [
			path,
			from,
			change,
			binary,
			added,
			removed,
		]);
		expect(files).toEqual([
			["assets/fonts/Sans.ttf", undefined, "A", true, 0, 0],
			["package.json", undefined, "M", false, 1, 0],
			["src/export/month.ts", undefined, "A", false, 8, 0],
			["src/invoices/sum.ts", "src/invoices/total.ts", "R", false, 3, 3],
		]);
		const [, manifest] = readPatch(builtPatch, asIs);
		expect(manifest?.hunks[0]?.lines.map(({ sign, number }) => `${sign}${number}`)).toEqual([
			" 14",
			" 15",
			"+16",
			" 17",
			" 18",
		]);
	});

	it.each([
		['"b/na\\303\\257ve caf\\303\\251.txt"', "naïve café.txt"],
		['"b/with\\ttab and \\"quotes\\".txt"', 'with\ttab and "quotes".txt'],
		["b/with blanks.txt\t", "with blanks.txt"],
		["b/b/inner.txt", "b/inner.txt"],
		['"b/back\\\\slash a\u2028b.txt"', "back\\slash a\u2028b.txt"],
	])("unquotes file names: %s", (name, path) => {
		const text = `diff --git x y\n--- /dev/null\n+++ ${name}\n@@ -0,0 +1 @@\n+x\n`;
		expect(readPatch(text, asIs)[0]?.path).toBe(path);
	});

	it("of a deleted file, an empty file or a mode change has the file's name", () => {
		const gone =
			"diff --git a/old b/old\ndeleted file mode 100644\n--- a/old\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n\\ No newline at end of file\n";
		const empty = "diff --git a/dir/empty b/dir/empty\nnew file mode 100644\nindex 0000000..e69de29\n";
		const rights = "diff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755\n";
		const files = readPatch(gone + empty + rights, asIs);
		expect(files.map(({ path, change }) => `${change} ${path}`)).toEqual(["D old", "A dir/empty", "M run.sh"]);
	});

	it("is read up to the cut, wherever it was cut", () => {
		for (let length = 0; length <= builtPatch.length; length += 3) {
			const files = readPatch(builtPatch.slice(0, length), asIs);
			expect(files.length).toBeLessThanOrEqual(4);
			expect(files.every(({ path }) => path !== "")).toBe(true);
		}
	});

	it("is not misread because of lines that look like headers", () => {
		const text = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,3 @@\n--- a/other\n+++ b/other\n+@@ -9 +9 @@\n x\n";
		const [file, more] = readPatch(text, asIs);
		expect(more).toBeUndefined();
		expect(file?.path).toBe("x");
		for (const breaks of ["\r", "\u2028", "\u2029"]) {
			const one = `diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n+x${breaks}diff --git a/y b/y\n`;
			expect(readPatch(one, asIs).map(({ path }) => path)).toEqual(["x"]);
		}
		expect(file?.hunks[0]?.lines.map(({ sign, text: line }) => sign + line)).toEqual([
			"--- a/other",
			"+++ b/other",
			"+@@ -9 +9 @@",
			" x",
		]);
	});

	it("hides a key block line by line, and leaves the lines around it", () => {
		const key = [
			"-----BEGIN RSA PRIVATE KEY-----",
			"MIIEowIBAAKCAQEA1234",
			"abcdefgh",
			"-----END RSA PRIVATE KEY-----",
		];
		const lines = ["const before = 1;", ...key, "const after = 2;"].map((line) => `+${line}`);
		const text = `diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -0,0 +1,6 @@\n${lines.join("\n")}\n`;
		const shown = readPatch(text, openRedaction())[0]?.hunks[0]?.lines.map((line) => line.text);
		expect(shown).toEqual(["const before = 1;", "•••", "•••", "•••", "•••", "const after = 2;"]);
	});

	it.each([
		[".env", true],
		["a/b/.env.production", true],
		[".env.example", false],
		["tls/server.key", true],
		["src/keys.ts", false],
		["monkey", false],
		["id_rsa", true],
		["id_rsa.pub", false],
		["config/secrets.yaml", true],
		["environment.ts", false],
	])("knows files that hold secrets by their name: %s %s", (path, secret) => {
		expect(isSecretFile(path)).toBe(secret);
	});
});

describe("the state diagram", () => {
	const edges = fc.uniqueArray(fc.record({ from: fc.nat(30), to: fc.nat(30) }), {
		selector: ({ from, to }) => `${from} ${to}`,
		maxLength: 60,
	});

	it("gives each arrow a lane of its own on its side, and draws none through a box", () => {
		fc.assert(
			fc.property(edges, (drawn) => {
				const arcs = arcsOf(drawn.map((edge) => ({ ...edge, kind: "taken" as const, label: "" })));
				expect(arcs).toHaveLength(drawn.length);
				for (const [index, arc] of arcs.entries()) {
					if (arc.lane === 0) expect(arc.to).toBe(arc.from + 1);
					else expect(Math.sign(arc.lane)).toBe(arc.to > arc.from ? 1 : -1);
					for (const other of arcs.slice(index + 1)) {
						if (other.lane !== arc.lane) continue;
						const [low, high] = [Math.min(arc.from, arc.to), Math.max(arc.from, arc.to)];
						const [from, to] = [Math.min(other.from, other.to), Math.max(other.from, other.to)];
						expect(to <= low || high <= from).toBe(true);
					}
				}
			}),
		);
	});

	it.each([3, 12, 40])("keeps every line of %d states inside the picture", async (count) => {
		const name = (index: number) => `state-${index % count}`;
		const states = Object.fromEntries(
			Array.from({ length: count }, (_, index) => [
				name(index),
				{ persona: "P", next: [name(index + 1), name(index + 3), "done"] },
			]),
		);
		const limits = { moves: 900, pair_moves: 900, minutes: 90_000 };
		const play = open(definition({ ...states, done: {} }, { limits }));
		for (let index = 0; index < 2 * count; index += 1) go(start(play), name(index + 1));
		const html = await writeReport(ledgerOf(play.events), {});
		const [drawing = "", width = "", height = ""] =
			/<svg class="drawing[^>]*viewBox="0 0 ([\d.]+) ([\d.]+)"[\s\S]*?<\/svg>/.exec(html) ?? [];
		const ways = [...drawing.matchAll(/ d="([^"]*)"/g)].map(([, way = ""]) => way).join(" ");
		const points = [...ways.matchAll(/[MQ ](-?[\d.]+) (-?[\d.]+)/g)].map(([, x, y]) => [Number(x), Number(y)] as const);
		expect(points.length).toBeGreaterThan(count);
		for (const [x, y] of points) {
			expect(Math.min(x, y)).toBeGreaterThanOrEqual(0);
			expect(x).toBeLessThanOrEqual(Number(width));
			expect(y).toBeLessThanOrEqual(Number(height));
		}
	});
});

describe("the time axis", () => {
	const minute = 60_000;

	it("collapses a night and keeps the work on both sides to scale", () => {
		const busy = [
			{ from: 0, to: 5 * minute },
			{ from: 600 * minute, to: 610 * minute },
		];
		const axis = timeAxis(busy, 0, 610 * minute);
		const first = axis.at(5 * minute) - axis.at(0);
		const second = axis.at(610 * minute) - axis.at(600 * minute);
		expect(second / first).toBeCloseTo(2);
		expect(first + second).toBeGreaterThan(80);
		expect(axis.breaks).toEqual([{ from: axis.at(5 * minute), to: axis.at(600 * minute), ms: 595 * minute }]);
	});

	it("collapses no short gap, and nothing in a run without work", () => {
		const quick = [
			{ from: 5000, to: 6000 },
			{ from: 60_000, to: 61_000 },
		];
		expect(timeAxis(quick, 0, 61_000).breaks).toEqual([]);
		expect(timeAxis([], 0, 600 * minute).breaks).toEqual([]);
		const busy = [
			{ from: 0, to: 5 * minute },
			{ from: 5.2 * minute, to: 10 * minute },
		];
		expect(timeAxis(busy, 0, 10 * minute).breaks).toEqual([]);
	});

	const spans = fc
		.array(fc.record({ gap: fc.nat(40_000_000), length: fc.integer({ min: 1, max: 4_000_000 }) }), { maxLength: 40 })
		.map((list) => {
			let at = 1_900_000_000_000;
			return list.map(({ gap, length }) => {
				const from = at + gap;
				at = from + length;
				return { from, to: at };
			});
		});

	it("never runs backwards, and keeps its labels apart and in the picture", () => {
		fc.assert(
			fc.property(spans, fc.nat(50_000_000), (busy, tail) => {
				const began = 1_900_000_000_000;
				const ended = (busy.at(-1)?.to ?? began) + tail;
				const axis = timeAxis(busy, began, ended);
				let last = axis.at(began);
				expect(last).toBeCloseTo(0);
				for (const { from, to } of busy) {
					for (const time of [from, to]) {
						expect(axis.at(time)).toBeGreaterThanOrEqual(last - 1e-6);
						last = axis.at(time);
					}
				}
				expect(last).toBeLessThanOrEqual(100 + 1e-6);
				for (const [index, { x, label }] of axis.ticks.entries()) {
					expect(label).not.toBe("");
					expect(x).toBeGreaterThanOrEqual(-1e-6);
					expect(x).toBeLessThanOrEqual(100 + 1e-6);
					const before = axis.ticks[index - 1];
					if (before) expect(x - before.x).toBeGreaterThanOrEqual(12 - 1e-6);
				}
				expect(axis.ticks.length).toBeGreaterThan(0);
			}),
		);
	});

	it.each([
		[0, "0"],
		[5 * minute, "5m"],
		[65 * minute, "1h05m"],
		[120 * minute, "2h"],
		[90_000, "1m30s"],
		[48 * 60 * minute, "2d"],
	])("shows %i ms as %s", (ms, label) => {
		expect(axisTime(ms)).toBe(label);
	});
});

describe("texts", () => {
	it("are cut between grapheme clusters, never longer than asked", () => {
		fc.assert(
			fc.property(fc.string({ unit: "grapheme", maxLength: 60 }), fc.integer({ min: 2, max: 40 }), (text, length) => {
				const short = shorten(text, length);
				expect(short.length).toBeLessThanOrEqual(length);
				if (text.length <= length) expect(short).toBe(text);
				else expect(text.startsWith(short.slice(0, -1))).toBe(true);
				expect(short.isWellFormed()).toBe(true);
			}),
		);
		expect(shorten("👩‍👩‍👧‍👦👩‍👩‍👧‍👦", 14)).toBe("👩‍👩‍👧‍👦…");
	});

	it("in markup are escaped, in lists too", () => {
		const html = openHtml(asIs);
		fc.assert(
			fc.property(fc.string(), (text) => {
				const { markup } = html`<p title="${text}">${[text, [text]]}</p>`;
				expect(markup).toBe(`<p title="${escapeText(html.plain(text))}">${escapeText(html.plain(text)).repeat(2)}</p>`);
				expect(escapeText(text)).not.toMatch(/[<>"']/);
			}),
		);
		expect(html`${1}${undefined}${html`<b>${"&"}</b>`}`.markup).toBe("1<b>&amp;</b>");
	});
});

describe("the path", () => {
	it("counts moves by edge, and distinguishes taken, possible and refused edges", async () => {
		const path = pathOf(await readReportModel(ledgerOf(dayOfWork().events), asIs));
		const names = path.nodes.map(({ state }) => titleOf(state));
		const ways = path.edges.map(({ from, to, kind, label }) =>
			`${names[from]} > ${names[to]}: ${kind} ${label}`.trim(),
		);
		expect(ways).toEqual([
			"Planning > Implementation: taken 1",
			"Implementation > Verification: taken 2",
			"Verification > Implementation: taken 3",
			"Implementation > Verification: refused 4",
			"Implementation > Human intervention: taken 4",
			"Human intervention > Verification: taken 5",
			"Verification > Documentation: taken 6",
			"Documentation > Done: taken 7",
		]);
		expect(path.nodes.map(({ mark }) => mark)).toEqual(["done", "done", "done", "done", "done", "released"]);
	});

	it("summarizes many moves between two states", async () => {
		const play = open(
			definition(
				{ a: { persona: "A", next: ["b"] }, b: { persona: "B", next: ["a", "done"] }, done: {} },
				{ limits: { moves: 100, pair_moves: 100 } },
			),
		);
		for (let move = 0; move < 13; move += 1) go(start(play), play.run.state === "a" ? "b" : "a");
		const path = pathOf(await readReportModel(ledgerOf(play.events), asIs));
		expect(path.edges.map(({ label }) => label)).toEqual(["1, 3 … 13 (×7)", "2, 4 … 12 (×6)", ""]);
	});
});
