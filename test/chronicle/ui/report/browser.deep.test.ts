import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Conversation } from "../../../../src/chronicle/ui/report/conversation.ts";
import { writeReport } from "../../../../src/chronicle/ui/report/index.ts";
import { chromiumPath, startChromium } from "../../../harness/browser.ts";
import { checkout } from "../../../harness/index.ts";
import { needs, needsProgram } from "../../../harness/needs.ts";
import { patient } from "../../../harness/patience.ts";
import { ask, definition, go, open, start } from "../../core/machine/test-run.ts";
import { childrenRun, failedRun, fiveStates, rewoundRun } from "../runs.ts";
import { alive, builtPatch, dayOfWork, ledgerOf, named, patches, restWith, tree, used } from "./ledgers.ts";

if (!chromiumPath) console.warn("No Chromium on PATH: the report is not tried in a browser.");

const sizes = { phone: { width: 390, height: 844 }, laptop: { width: 1280, height: 800 } } as const;
const schemes = ["light", "dark"] as const;

const require = createRequire(import.meta.url);
let folder: string;
let browser: Browser;
const files = new Map<string, string>();

/** Reports of several kinds of runs, by name. */
async function reports(): Promise<Map<string, string>> {
	const day = named(dayOfWork().events, "export");
	const fixed = { zone: "Europe/Berlin", madeAt: Date.UTC(2030, 0, 2, 9), log: "../run.events.jsonl" };
	const options = {
		...fixed,
		workspace: patches({ [`${tree.planned} ${tree.built}`]: builtPatch }),
		transcripts: [{ key: "1.1", href: "workers/1.1.jsonl", bytes: 48_123, conversation: dayTalk }],
	};
	return new Map([
		["day", await writeReport(ledgerOf(day), options)],
		[
			"begun",
			await writeReport(
				ledgerOf(start(open(definition({ plan: { persona: "P", next: ["build"] }, build: {} }))).events, {
					holder: alive,
				}),
				fixed,
			),
		],
		["long", await writeReport(ledgerOf(longRun()), fixed)],
		["wide words", await writeReport(ledgerOf(wideWords()), fixed)],
		["failed", await writeReport(ledgerOf(failedRun().events), fixed)],
		["rewound", await writeReport(ledgerOf(rewoundRun().events), fixed)],
		["children", await writeReport(ledgerOf(childrenRun().events), fixed)],
		["sixty states", await writeReport(ledgerOf(sixtyStates()), fixed)],
		["many visits", await writeReport(ledgerOf(manyVisits()), fixed)],
	]);
}

const dayTalk: Conversation = {
	hidden: 4,
	turns: [
		{ who: "task", text: "Plan the export.", calls: [] },
		{ who: "worker", text: "", calls: [{ words: "bash npm test", result: "2 failed", failed: true }] },
		{ who: "worker", text: "The totals are rounded twice.", calls: [] },
		{ who: "worker", text: "Here is the plan.", calls: [{ words: "write plan.md", result: "", failed: false }] },
	],
};

/** One way through sixty states. */
function sixtyStates() {
	const name = (index: number) => `state-${index}`;
	const states = Object.fromEntries(
		Array.from({ length: 60 }, (_, index) => [name(index), { persona: "P", next: [name(index + 1)] }]),
	);
	const play = open(definition({ ...states, [name(60)]: {} }, { limits: { moves: 999, minutes: 100_000 } }));
	for (let index = 0; index < 60; index += 1) go(start(play).wait(30_000), name(index + 1), `Left ${index}.`);
	return play.events;
}

/** 2,000 visits. */
function manyVisits() {
	const play = open(
		definition(fiveStates, { limits: { moves: 10_000, pair_moves: 10_000, minutes: 100_000, tokens: 90_000_000 } }),
	);
	go(start(play), "build", "words ".repeat(60));
	for (let index = 0; index < 1000; index += 1) {
		used(start(play), 500, 0.001);
		go(play.wait(20_000), "check", "words ".repeat(60));
		go(start(play).wait(20_000), "build", "words ".repeat(60));
	}
	return play.events;
}

/** What axe-core finds wrong on the page. */
async function complaintsOf(page: Page): Promise<string[]> {
	return page.evaluate(`axe.run({ resultTypes: ["violations"] }).then(({ violations }) =>
		violations.map(({ id, nodes }) => id + ": " + nodes.slice(0, 3).map(({ target }) => target.join(" ")).join(", ")))`);
}

function longRun() {
	const name = (index: number) => `state-${index % 25}`;
	const states = Object.fromEntries(
		Array.from({ length: 25 }, (_, index) => [name(index), { persona: "P", next: [name(index + 1), "done"] }]),
	);
	const play = open(
		definition(
			{ ...states, done: {} },
			{ limits: { moves: 1000, pair_moves: 1000, tokens: 90_000_000, minutes: 100_000 } },
		),
	);
	for (let index = 0; index < 104; index += 1) {
		start(play);
		used(play.wait(1000 * ((index * 37) % 900)), 1000 * ((index * 13) % 700), 0.01 * (index % 9));
		go(play.wait(60_000), index === 103 ? "done" : name(index + 1), `Visit ${index} is over.`);
		if (index % 40 === 7) play.wait(20 * 3_600_000);
	}
	return play.events;
}

/** Names and texts without a place to break, and from other scripts. */
function wideWords() {
	const names = [
		"W".repeat(48),
		"最終的な検証と文書化のための非常に長い状態の名前をここに書く",
		"التحقق_من_النتائج_النهائية",
		"done",
	];
	const [first = "", second = "", third = ""] = names;
	const play = open(
		definition({
			[first]: { persona: "P", next: [second], requires_approval: true },
			[second]: { persona: "P", next: [third] },
			[third]: { persona: "P", next: ["done"] },
			done: {},
		}),
		{ task: `${"task".repeat(200)} and more` },
	);
	start(play);
	ask(play.wait(50_000), second, "Summary".repeat(90));
	restWith(play, [
		{ path: `${"folder/".repeat(30)}${"name".repeat(40)}.ts`, change: "M", added: 12_345, removed: 6789 },
	]);
	play.say({
		kind: "rejected",
		answers: play.run.stage.kind === "asking" ? play.run.stage.question.seq : 0,
		words: "no".repeat(400),
	});
	start(play);
	play.say({
		kind: "snapshot_updated",
		visit: 1,
		attempt: 2,
		by: "worker",
		data: { findings: [{ key: "k".repeat(80), text: "f".repeat(700) }] },
	});
	return play.events;
}

describe("the report in a browser", needsProgram("chromium", chromiumPath), () => {
	beforeAll(async () => {
		folder = await mkdtemp(join(tmpdir(), "report-"));
		for (const [name, html] of await reports()) {
			const path = join(folder, `${name}.html`);
			await writeFile(path, html);
			files.set(name, pathToFileURL(path).href);
		}
		browser = await startChromium();
	}, patient(60_000));
	afterAll(async () => {
		await browser?.close();
		if (folder) await rm(folder, { recursive: true, force: true });
	});

	interface Visit {
		readonly page: Page;
		readonly requests: string[];
		readonly complaints: string[];
		measure<T>(call: string): Promise<T>;
	}

	async function visit(name: string, size: keyof typeof sizes, scheme: (typeof schemes)[number]): Promise<Visit> {
		const page = await browser.newPage({ viewport: sizes[size], colorScheme: scheme, deviceScaleFactor: 2 });
		const requests: string[] = [];
		const complaints: string[] = [];
		page.on("request", (request) => requests.push(request.url()));
		page.on("console", (message) => complaints.push(message.text()));
		page.on("pageerror", (error) => complaints.push(error.message));
		await page.addInitScript({ path: join(import.meta.dirname, "in-page.mjs") });
		await page.addInitScript({ path: require.resolve("axe-core/axe.min.js") });
		await page.goto(files.get(name) ?? "");
		return { page, requests, complaints, measure: (call) => page.evaluate(`measures.${call}`) };
	}

	const kinds = ["day", "begun", "long", "wide words", "failed", "rewound", "children", "sixty states"] as const;
	const everywhere = kinds.flatMap((name) => (["phone", "laptop"] as const).map((size) => [name, size] as const));

	it.each(everywhere)("has nothing wider than the page and no overlapping text: %s on a %s", async (name, size) => {
		const { page, measure } = await visit(name, size, "light");
		for (const folded of [true, false]) {
			if (!folded) await measure("open()");
			expect(await measure("wider()")).toEqual([]);
			expect(await measure("overlapping()")).toEqual([]);
			expect(await measure("drawn()")).toEqual([]);
		}
		await page.close();
	});

	it.each(everywhere.flatMap(([name, size]) => schemes.map((scheme) => [name, size, scheme] as const)))(
		"gives every text a contrast of 4.5 or more: %s on a %s, %s",
		async (name, size, scheme) => {
			const { page, measure } = await visit(name, size, scheme);
			await measure("open()");
			const { measured, weak } = await measure<{ measured: number; weak: string[] }>("contrast(4.5)");
			expect(measured).toBeGreaterThan(40);
			expect(weak).toEqual([]);
			await page.close();
		},
	);

	it.each(everywhere)("draws its figures large enough to read: %s on a %s", async (name, size) => {
		const { page, measure } = await visit(name, size, "light");
		expect(await measure("smallest()")).toBeGreaterThanOrEqual(9);
		await page.close();
	});

	it.each(everywhere.flatMap(([name, size]) => schemes.map((scheme) => [name, size, scheme] as const)))(
		"axe finds nothing to complain of: %s on a %s, %s",
		async (name, size, scheme) => {
			const { page } = await visit(name, size, scheme);
			expect(await complaintsOf(page)).toEqual([]);
			await page.close();
		},
		patient(60_000),
	);

	it.each((["phone", "laptop"] as const).flatMap((size) => schemes.map((scheme) => [size, scheme] as const)))(
		"2,000 visits can be read: on a %s, %s",
		async (size, scheme) => {
			const { page, measure } = await visit("many visits", size, scheme);
			expect(await measure("wider()")).toEqual([]);
			expect(await measure("drawn()")).toEqual([]);
			expect(await measure("smallest()")).toBeGreaterThanOrEqual(9);
			expect((await measure<{ weak: string[] }>("contrast(4.5)")).weak).toEqual([]);
			expect(await complaintsOf(page)).toEqual([]);
			await page.close();
		},
		patient(120_000),
	);

	it(
		"a page of 2,000 visits stays small, and every visit that is shown is reached from the navigation",
		async () => {
			const { page, measure } = await visit("many visits", "laptop", "light");
			const elements = await page.evaluate("document.querySelectorAll('*').length");
			expect(elements).toBeLessThan(20_000);
			expect(await measure("wider()")).toEqual([]);
			await page.locator("summary", { hasText: "To visit" }).click();
			await page.locator(".to-visit a", { hasText: /^1990 / }).click();
			const row = page.locator("#visit-1990");
			await expect.poll(async () => (await row.boundingBox())?.y).toBeLessThan(sizes.laptop.height);
			// The navigation stays in sight.
			expect((await page.locator("nav").boundingBox())?.y).toBe(0);
			expect(await complaintsOf(page)).toEqual([]);
			await page.close();
		},
		patient(120_000),
	);

	it("requests nothing but itself and violates none of its own policy", async () => {
		for (const name of files.keys()) {
			const { page, requests, complaints } = await visit(name, "laptop", "light");
			expect(requests).toEqual([files.get(name)]);
			expect(complaints).toEqual([]);
			await page.close();
		}
	});

	it("blocks injected scripts and styles by its policy", async () => {
		const path = join(folder, "hurt.html");
		const html = await writeReport(ledgerOf(dayOfWork().events));
		await writeFile(
			path,
			html.replace("</main>", '<script>document.title = "taken"</script><style>body{background:red}</style></main>'),
		);
		files.set("hurt", pathToFileURL(path).href);
		const { page, complaints } = await visit("hurt", "laptop", "light");
		expect(await page.title()).not.toBe("taken");
		expect(complaints.length).toBeGreaterThanOrEqual(2);
		files.delete("hurt");
		await page.close();
	});

	it.each([...everywhere, ["many visits", "phone"], ["many visits", "laptop"]] as const)(
		"lets the keyboard reach everything, in sight: %s on a %s",
		async (name, size) => {
			const { page, measure } = await visit(name, size, "light");
			const seen: string[] = [];
			const reachable = await measure<number>("reachable()");
			for (let step = 0; step < reachable; step += 1) {
				await page.keyboard.press("Tab");
				seen.push(await measure<string>("focused()"));
			}
			expect(seen[0]).toBe("a Skip to content");
			expect(seen.filter((text) => text === "" || text.startsWith("body"))).toEqual([]);
			expect(seen).toContain("div State diagram");
			expect(seen.some((text) => text.startsWith("summary "))).toBe(true);
			// One more Tab leaves the page: nothing was left out.
			await page.keyboard.press("Tab");
			expect(await measure<string>("focused()")).not.toBe(seen.at(-1));
			await page.close();
		},
		patient(120_000),
	);

	it("lets the keyboard open what is folded", async () => {
		const { page } = await visit("day", "laptop", "light");
		const changed = page.locator("summary", { hasText: "package.json" });
		await changed.focus();
		await page.keyboard.press("Enter");
		await page.getByText('"pdf-writer": "4.0.2",').waitFor({ state: "visible", timeout: patient(5000) });
		await page.close();
	});

	it("can be read with scripts turned off", async () => {
		const page = await browser.newPage({ javaScriptEnabled: false, viewport: sizes.phone });
		await page.goto(files.get("day") ?? "");
		expect(await page.getByRole("heading", { level: 2 }).allTextContents()).toHaveLength(11);
		const [diagram] = await page.getByRole("img", { name: "The states and the path taken" }).all();
		expect(await diagram?.isVisible()).toBe(true);
		expect(await page.getByRole("table").count()).toBeGreaterThan(5);
		await page.close();
	});

	it.each([...kinds, "many visits"].flatMap((name) => schemes.map((scheme) => [name, scheme] as const)))(
		"prints on white paper, with nothing cut off: %s from %s",
		async (name, scheme) => {
			const { page, measure } = await visit(name, "laptop", scheme);
			await page.emulateMedia({ media: "print", colorScheme: scheme });
			// A4 less its margins, in CSS pixels.
			await page.setViewportSize({ width: 703, height: 1000 });
			expect(await measure("page()")).toEqual({ r: 255, g: 255, b: 255, a: 1 });
			expect(await measure("wider()")).toEqual([]);
			expect(await measure("overlapping()")).toEqual([]);
			expect(await measure("drawn()")).toEqual([]);
			expect((await measure<{ weak: string[] }>("contrast(4.5)")).weak).toEqual([]);
			const pdf = await page.pdf({ format: "A4", printBackground: true });
			expect(pdf.subarray(0, 5).toString()).toBe("%PDF-");
			const pages = pdf.toString("latin1").match(/\/Type\s*\/Page\b(?!s)/g)?.length ?? 0;
			expect(pages).toBeGreaterThanOrEqual(name === "day" ? 3 : 1);
			if (name === "day") expect(pages).toBeLessThanOrEqual(8);
			await page.close();
		},
		patient(120_000),
	);

	it(
		"draws the pictures for the documents",
		needs("UPDATE_IMAGES=1: it only draws", process.env.UPDATE_IMAGES === "1"),
		async () => {
			const picture = async (
				name: string,
				colorScheme: "light" | "dark",
				first: string,
				last: string,
			): Promise<void> => {
				const page = await browser.newPage({ viewport: { width: 1160, height: 800 }, colorScheme });
				await page.goto(files.get("day") ?? "");
				const top = (await page.locator(first).boundingBox())?.y ?? 0;
				const end = await page.locator(last).last().boundingBox();
				const clip = { x: 0, y: top - 24, width: 1160, height: (end?.y ?? 0) + (end?.height ?? 0) - top + 48 };
				await page.screenshot({ path: join(checkout, "docs", "images", `${name}.png`), fullPage: true, clip });
				await page.close();
			};
			await picture("report-light", "light", "header", "#path figure");
			await picture("report-dark", "dark", "#time", "#money figure");
		},
	);
});
