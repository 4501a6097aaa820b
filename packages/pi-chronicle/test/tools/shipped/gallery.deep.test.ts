// The pictures of the gallery: each shipped definition in real runs on its small repository, and the report of such a run. UPDATE_IMAGES=1 draws
// them again (reports of chronicles with Chromium).
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { startChromium } from "../../harness/browser.ts";
import { expectPicture, gate, openBench, type Project, pictureFolder, type Tui } from "../../harness/index.ts";
import { patient } from "../../harness/patience.ts";
import { drawWebp, textOfWebp } from "../../harness/webp.ts";
import { readPage, textOf } from "../../ui/report/checks.ts";
import { mask, width } from "./gallery-picture.ts";
import { shippedCases } from "./repositories.ts";
import { scriptOf } from "./scripted-case.ts";

/** What is drawn of a run. */
interface Moment {
	readonly title: string;
	/** The picture is taken when the screen shows this, or when all of these parts are about to end. */
	readonly at: RegExp | readonly string[];
	/** What the screen shows then, if it may take a moment. */
	readonly shows?: RegExp;
	/** Rows of the terminal. */
	readonly rows: number;
	/** What the user does then. */
	readonly answer?: (pi: Tui) => Promise<unknown>;
}

const approve = (pi: Tui) => pi.press("a");
const next = (pi: Tui) => pi.submit("/workflow next");

const moments: Readonly<Record<string, Moment>> = {
	feature: {
		title: "A plan that waits for your approval",
		at: /Approve: move to building[\s\S]*Esc later/,
		rows: 22,
		answer: approve,
	},
	review: {
		title: "Three reviewers work at the same time",
		at: ["correctness", "security", "tests"],
		shows: /(?:: waiting for the model[\s\S]*){3}total 660 tokens/,
		rows: 16,
	},
	refactor: {
		title: "The safety net, with the tests that it adds, waits for your approval",
		at: /Approve: move to change[\s\S]*Esc later/,
		rows: 23,
		answer: approve,
	},
	upgrade: {
		title: "The list and the order of upgrades wait for your approval",
		at: /Approve: move to upgrade[\s\S]*Esc later/,
		rows: 22,
		answer: approve,
	},
	"bug-hunt": { title: "The phase Locate refuses an edit", at: ["locate"], rows: 34 },
	docs: { title: "What the README promises is tried, and fails", at: ["try-out"], rows: 34 },
	release: {
		title: "The release waits: only you can end the phase Confirm",
		at: /I wait for your decision\./,
		rows: 34,
		answer: next,
	},
	incident: {
		title: "The agent asks what to do, and changes nothing before you have decided",
		at: /Set the factor back to 1\?/,
		rows: 34,
		answer: next,
	},
};

const limit = { timeout: patient(120_000) };

describe.each(shippedCases)("the gallery's pictures of $name", (played) => {
	const { name, kind, task, files } = played;
	const moment = moments[name] as Moment;

	it("show a run at its key moment, and its report", limit, async () => {
		const [held, complete] = [gate(), gate()];
		const parts = new Set(moment.at instanceof RegExp ? [] : moment.at);
		const script = scriptOf(played, {
			parts: [...parts],
			reached(part) {
				parts.delete(part);
				if (parts.size === 0) complete.open();
			},
			until: held.opened,
		});
		const { project, server, tui } = await openBench({ files, git: true, script });
		server.lenient();
		const pi = await tui({ cols: width, rows: moment.rows });
		await pi.submit(`/${kind} ${name} ${task}`);
		await (moment.at instanceof RegExp ? pi.waitForScreen(moment.at, 60_000) : complete.opened);
		if (moment.shows) await pi.waitForScreen(moment.shows, 60_000);
		await settled(pi);
		expectPicture(pi.snapshot(), `gallery/${name}`, { title: moment.title, mask, loose: true });
		await moment.answer?.(pi);
		held.open();
		if (kind === "workflow") {
			await pi.waitForScreen("Done.", 60_000);
			return;
		}
		await pi.waitForScreen("Done [✓]", 60_000);
		await pi.submit("/chronicle report");
		await pi.waitForScreen("Wrote the report:", 30_000);
		await expectReport(project, name);
	});
});

/** Waits until nothing changes but times and signs of life. */
async function settled(pi: Tui): Promise<void> {
	const shown = () => mask.reduce((text, [pattern, by]) => text.replace(pattern, by), pi.screen());
	for (let before = ""; before !== shown(); ) {
		before = shown();
		await sleep(600);
	}
}

/** Compares the top of a report, and draws it when UPDATE_IMAGES=1. */
async function expectReport(project: Project, name: string): Promise<void> {
	const file = project.list(".pi").find((each) => each.endsWith("report.html")) ?? "";
	const page = readPage(project.read(file));
	const [head] = page.all("header");
	// Without the run's id, dates and times of day, and with one duration for all.
	const title = (head ? textOf(head) : "").replace(/ Template .*/, "");
	const path = page.section("path").replace(/ Show as a table .*/, "");
	const shown = `${title}\n${path}`.replaceAll(/\b(?:\d+h ?)?(?:\d+m ?)?\d+(?:\.\d+)? ?m?s\b/g, "9s");
	const picture = join(pictureFolder, "gallery", `${name}-report.webp`);
	if (process.env.UPDATE_IMAGES === "1") {
		mkdirSync(dirname(picture), { recursive: true });
		writeFileSync(picture, await drawTop(project.path(file), shown));
	}
	expect(existsSync(picture) ? textOfWebp(readFileSync(picture)) : undefined, "run with UPDATE_IMAGES=1").toBe(shown);
}

/** The report down to the path that the run took. */
async function drawTop(file: string, text: string): Promise<Buffer> {
	const browser = await startChromium();
	try {
		const page = await browser.newPage({ viewport: { width: 900, height: 800 }, colorScheme: "light" });
		await page.goto(pathToFileURL(file).href);
		const top = (await page.locator("header").first().boundingBox())?.y ?? 0;
		const end = await page.locator("#path .chart").last().boundingBox();
		const height = (end?.y ?? 0) + (end?.height ?? 0) - top + 48;
		return await drawWebp(page, { x: 0, y: Math.max(0, top - 24), width: 900, height }, text);
	} finally {
		await browser.close();
	}
}
