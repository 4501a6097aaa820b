import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { definition, open, start } from "../../../../core/test/machine/test-run.ts";
import { writeReport } from "../../../src/ui/report/index.ts";
import { chromiumPath, startChromium } from "../../harness/browser.ts";
import { checkout } from "../../harness/index.ts";
import { needs, needsProgram } from "../../harness/needs.ts";
import { patient } from "../../harness/patience.ts";
import { drawWebp } from "../../harness/webp.ts";
import { childrenRun, failedRun, rewoundRun } from "../runs.ts";
import { dayTalk, longRun, manyVisits, sixtyStates, wideWords } from "./large-runs.ts";
import { alive, builtPatch, dayOfWork, ledgerOf, named, patches, tree } from "./ledgers.ts";

if (!chromiumPath) console.warn("No Chromium on PATH: the report is not tried in a browser.");

const sizes = { phone: { width: 390, height: 844 }, laptop: { width: 1280, height: 800 } } as const;
const schemes = ["light", "dark"] as const;
const names = [
	"day",
	"begun",
	"long",
	"wide words",
	"failed",
	"rewound",
	"children",
	"sixty states",
	"many visits",
] as const;
const large: readonly string[] = ["long", "sixty states", "many visits"];

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

const colorRules = ["color-contrast", "link-in-text-block"];

/** What axe-core finds wrong on the page. `colors`: only by the rules about colors; `structure`: by all others. */
async function complaintsOf(page: Page, rules: "colors" | "structure"): Promise<string[]> {
	const only =
		rules === "colors"
			? { runOnly: { type: "rule", values: colorRules } }
			: { rules: Object.fromEntries(colorRules.map((rule) => [rule, { enabled: false }])) };
	const options = JSON.stringify({ resultTypes: ["violations"], ...only });
	return page.evaluate(`axe.run(${options}).then(({ violations }) =>
		violations.map(({ id, nodes }) => id + ": " + nodes.slice(0, 3).map(({ target }) => target.join(" ")).join(", ")))`);
}

interface Visit {
	readonly page: Page;
	readonly requests: string[];
	readonly complaints: string[];
	measure<T>(call: string): Promise<T>;
}

async function visit(name: string, size: keyof typeof sizes): Promise<Visit> {
	const page = await browser.newPage({ viewport: sizes[size], colorScheme: "light", deviceScaleFactor: 2 });
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

describe("in a browser", needsProgram("chromium", chromiumPath), () => {
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

	// A page is loaded once: its tests change only its size, its scheme and its expanded sections, and restore them.
	describe.each(names)("the report of the run %s", (name) => {
		let opened: Visit;
		beforeAll(async () => {
			opened = await visit(name, "phone");
		}, patient(60_000));
		afterAll(() => opened?.page.close());

		it.each(["phone", "laptop"] as const)(
			"lets the keyboard reach everything, scrolled into view, on a %s",
			async (size) => {
				const { page, measure } = opened;
				await page.setViewportSize(sizes[size]);
				await measure("toStart()");
				const seen: string[] = [];
				const reachable = await measure<number>("reachable()");
				for (let step = 0; step < reachable; step += 1) {
					await page.keyboard.press("Tab");
					seen.push(await measure<string>("focused()"));
				}
				expect(seen[0]).toBe("a Skip to content");
				expect(seen.filter((text) => text === "" || text.startsWith("body"))).toEqual([]);
				expect(seen).toContain("div State diagram");
				expect(seen.some((text) => text.startsWith("summary "))).toBe(
					(await page.locator("summary:visible").count()) > 0,
				);
				// One more Tab leaves the page: nothing was left out.
				await page.keyboard.press("Tab");
				expect(await measure<string>("focused()")).not.toBe(seen.at(-1));
			},
			patient(120_000),
		);

		it.each(["phone", "laptop"] as const)(
			"has nothing too wide, overlapping, too small or low in contrast on a %s, light and dark",
			async (size) => {
				const { page, measure } = opened;
				await page.setViewportSize(sizes[size]);
				await measure("toStart()");
				const isLong = name === "many visits";
				for (const folded of isLong ? [true] : [true, false]) {
					if (!folded) await measure("open()");
					expect(await measure("wider()")).toEqual([]);
					if (!isLong) expect(await measure("overlapping()")).toEqual([]);
					expect(await measure("drawn()")).toEqual([]);
				}
				expect(await measure("smallest()")).toBeGreaterThanOrEqual(9);
				for (const colorScheme of schemes) {
					await page.emulateMedia({ colorScheme });
					const { measured, weak } = await measure<{ measured: number; weak: string[] }>("contrast(4.5)");
					expect(measured).toBeGreaterThan(40);
					expect(weak, colorScheme).toEqual([]);
				}
				await measure("fold()");
				expect(await complaintsOf(page, "structure")).toEqual([]);
				// Large pages have the colors of the others, and axe takes seconds for them; their contrast is measured above.
				for (const colorScheme of large.includes(name) ? [] : schemes) {
					await page.emulateMedia({ colorScheme });
					expect(await complaintsOf(page, "colors"), colorScheme).toEqual([]);
				}
				await page.emulateMedia({ colorScheme: "light" });
			},
			patient(120_000),
		);

		it.each(schemes)(
			"prints on white paper, with nothing cut off, from the %s scheme",
			async (colorScheme) => {
				const { page, measure } = opened;
				await page.emulateMedia({ media: "print", colorScheme });
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
				await page.emulateMedia({ media: "screen", colorScheme: "light" });
			},
			patient(120_000),
		);

		it("requests nothing but itself and violates none of its own policy", () => {
			expect(opened.requests).toEqual([files.get(name)]);
			expect(opened.complaints).toEqual([]);
		});
	});

	it(
		"a page of 2,000 visits stays small, and every visit that is listed is one click away",
		async () => {
			const { page } = await visit("many visits", "laptop");
			const elements = await page.evaluate("document.querySelectorAll('*').length");
			expect(elements).toBeLessThan(40_000);
			await page.locator(".visits a", { hasText: /^1990 / }).click();
			await page.locator("#visit-1990").waitFor({ state: "visible" });
			expect(await page.locator(".detail > .visit:visible").count()).toBe(1);
			await page.close();
		},
		patient(120_000),
	);

	it.each(["phone", "laptop"] as const)(
		"answers each question about a visit within two clicks, and leaves its heading in sight, on a %s",
		async (size) => {
			const { page } = await visit("day", size);
			const answers = [
				["1 Planning", undefined, "3m00s · $0.33 · 171k tokens · 4 calls"],
				["2 Implementation", undefined, "Attempt 1 was killed by SIGKILL"],
				["2 Implementation", "package.json", '"pdf-writer": "4.0.2",'],
				["1 Planning", "Conversation 1.1", "The totals are rounded twice."],
				["1 Planning", undefined, "3m00s of work: model 1m30s, calls 1s"],
				["1 Planning", undefined, "Drafts must not be in the file."],
				["7 Documentation", undefined, "docs/export.md"],
			] as const;
			for (const [row, fold, answer] of answers) {
				await page.locator(".visits a", { hasText: new RegExp(`^${row}`) }).click();
				const number = Number.parseInt(row, 10);
				const shown = page.locator(`#visit-${number}`);
				if (fold !== undefined) await shown.locator("summary", { hasText: fold }).click();
				await shown
					.getByText(answer)
					.first()
					.waitFor({ state: "visible", timeout: patient(5000) });
				expect((await page.locator(`#visit-${number}-h`).boundingBox())?.y).toBeGreaterThanOrEqual(0);
			}
			await page.close();
		},
		patient(60_000),
	);

	it("blocks injected scripts and styles by its policy", async () => {
		const path = join(folder, "hurt.html");
		const html = await writeReport(ledgerOf(dayOfWork().events));
		await writeFile(
			path,
			html.replace("</main>", '<script>document.title = "taken"</script><style>body{background:red}</style></main>'),
		);
		files.set("hurt", pathToFileURL(path).href);
		const { page, complaints } = await visit("hurt", "laptop");
		expect(await page.title()).not.toBe("taken");
		expect(complaints.length).toBeGreaterThanOrEqual(2);
		files.delete("hurt");
		await page.close();
	});

	it("lets the keyboard open collapsed sections", async () => {
		const { page } = await visit("day", "laptop");
		await page.locator(".visits a", { hasText: /^2 / }).click();
		const changed = page.locator("summary", { hasText: "package.json" });
		await changed.focus();
		await page.keyboard.press("Enter");
		await page.getByText('"pdf-writer": "4.0.2",').waitFor({ state: "visible", timeout: patient(5000) });
		await page.close();
	});

	it("can be read with scripts turned off", async () => {
		const page = await browser.newPage({ javaScriptEnabled: false, viewport: sizes.phone });
		await page.goto(files.get("day") ?? "");
		const headings = await page.getByRole("heading", { level: 2 }).allTextContents();
		// One visit is shown at a time: at first the last one that did something.
		expect(headings).toEqual([
			"Result of Documentation",
			expect.stringMatching(/^7 Documentation/),
			...["Path", "Time", "States", "Knowledge", "Decisions", "Guard", "Incidents", "Tools", "Files of the run"],
		]);
		const shown = page.locator(".detail > .visit:visible > h2");
		await page.locator(".visits a", { hasText: /^2 / }).click();
		expect(await shown.allTextContents()).toEqual([expect.stringMatching(/^2 Implementation/)]);
		const [diagram] = await page.getByRole("img", { name: "The states and the path taken" }).all();
		expect(await diagram?.isVisible()).toBe(true);
		expect(await page.getByRole("table").count()).toBeGreaterThan(5);
		await page.close();
	});

	it(
		"matches the pictures of the documents",
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
				const text = (await page.locator(first).first().textContent()) ?? "";
				await writeFile(join(checkout, "docs", "images", `${name}.webp`), await drawWebp(page, clip, text));
				await page.close();
			};
			await picture("report-light", "light", "header", "#path .chart");
			await picture("report-dark", "dark", "#time", "#states .scroll");
		},
	);
});
