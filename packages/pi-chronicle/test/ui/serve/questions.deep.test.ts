// The seven questions that somebody who was away has about a run, each answered by at most two clicks on what the page and the report show: a real run
// with real pi workers, its page and its report in Chromium, which has no script there.
import { basename } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chromiumPath, startChromium } from "../../harness/browser.ts";
import { openBench, type Project } from "../../harness/index.ts";
import { needsProgram } from "../../harness/needs.ts";
import { patient } from "../../harness/patience.ts";
import { call } from "../../harness/reply.ts";
import { chronicle, ledgerOf, move, withTemplates, worker } from "../../runs/bench.ts";
import { serve } from "./page-bench.ts";

const template = {
	states: {
		plan: { persona: "Planner", next: ["build"], requires_approval: true },
		build: { persona: "Builder", next: ["review"] },
		review: { persona: "Reviewer", next: ["done", "failed"] },
	},
};

const script = {
	[worker("plan")]: [
		call("write", { path: "plan.md", content: "# The plan\n" }),
		move("build", "Two steps are planned."),
	],
	[worker("build")]: [
		call("bash", { command: "cat not-here.txt" }),
		call("write", { path: "total.txt", content: "forty-one\n" }),
		move("review", "The total is built."),
	],
	[worker("review")]: [move("failed", "The total is one too small.")],
};

interface Question {
	readonly asked: string;
	/** Texts that a person sees and clicks, in this order. */
	readonly clicks: readonly [] | readonly [string | RegExp] | readonly [string | RegExp, string | RegExp];
	readonly answers: readonly (string | RegExp)[];
}

const whileItWaits: readonly Question[] = [
	{ asked: "what does it ask?", clicks: [], answers: ["Move from plan to build?", "Two steps are planned."] },
];

const afterwards: readonly Question[] = [
	{ asked: "what did it cost?", clicks: [/^2 Build/], answers: [/· \$0\.\d+ · \d+ tokens · \d calls/] },
	{ asked: "why did it fail?", clicks: [], answers: [/moved to failed: The total is one too small\./] },
	{ asked: "what changed?", clicks: [/^2 Build/, "total.txt"], answers: ["forty-one"] },
	{
		asked: "what did the model see?",
		clicks: [/^2 Build/, /^System prompt 2\.1/],
		answers: [/You are Builder|Builder/, /bash/],
	},
	{ asked: "which messages?", clicks: [/^2 Build/, /^Conversation 2\.1/], answers: [/not-here\.txt/, /\$0\.\d+/] },
	{ asked: "where was the time?", clicks: [/^2 Build/], answers: [/of work: model .*, calls /, /cat not-here\.txt/] },
	{ asked: "who decided what?", clicks: [/^1 Plan/], answers: [/Approved the move from plan to build/, "use tabs"] },
];

let browser: Browser;

/** Answers each question from the page at `address`, which is opened anew for it. */
async function answer(page: Page, address: string, questions: readonly Question[]): Promise<void> {
	for (const { asked, clicks, answers } of questions) {
		await page.goto(address);
		for (const text of clicks) {
			const control = page.locator("a:visible, summary:visible, button:visible", { hasText: text });
			await control.first().click({ timeout: patient(5000) });
		}
		for (const words of answers)
			await page
				.getByText(words)
				.filter({ visible: true })
				.first()
				.waitFor({ timeout: patient(5000) })
				.catch(() => expect.fail(`${asked} ${String(words)} is not in sight after ${clicks.length} clicks`));
	}
}

const sizes = { phone: { width: 390, height: 844 }, laptop: { width: 1280, height: 800 } } as const;

/** A browser that is signed in to the page, of each size. */
async function signedIn(project: Project): Promise<readonly BrowserContext[]> {
	const served = await serve(project);
	const context = await browser.newContext({ viewport: sizes.laptop });
	const page = await context.newPage();
	await page.goto(served.link);
	await page.getByRole("button", { name: "Open" }).click();
	await page.getByText("This browser is signed in.").waitFor();
	const storageState = await context.storageState();
	await context.close();
	return Promise.all(
		Object.values(sizes).map((viewport) => browser.newContext({ viewport, storageState, baseURL: served.origin })),
	);
}

/** Writes the report and gives its address. */
async function reportOf(project: Project): Promise<string> {
	const written = await chronicle(project, ["report", "last"]);
	expect(written.code, written.stderr).toBe(0);
	const file = project.list(".pi").find((each) => each.endsWith("report.html")) ?? "";
	return pathToFileURL(project.path(file)).href;
}

describe("in a browser", needsProgram("chromium", chromiumPath), () => {
	beforeAll(async () => {
		browser = await startChromium();
	}, patient(60_000));
	afterAll(() => browser?.close());

	it("a person who was away has each question answered within two clicks, on the page and in the report", {
		timeout: patient(180_000),
	}, async () => {
		const { project } = await openBench({ files: withTemplates({ total: template }), git: true, script });
		const first = await chronicle(project, ["run", "total", "Build the total"]);
		expect(first.code, first.stderr).toBe(3);
		const { id } = ledgerOf(project);
		const contexts = await signedIn(project);
		const shown = `/p/${basename(project.folder)}/r/${id}`;
		const look = async (questions: readonly Question[], name: string): Promise<void> => {
			const report = await reportOf(project);
			for (const context of contexts)
				for (const address of [shown, report]) {
					const page = await context.newPage();
					await answer(page, address, questions);
					await picture(page, address, name);
					await page.close();
				}
		};
		await look(whileItWaits, "waits");
		const second = await chronicle(project, ["approve", id.slice(0, 8), "use tabs"]);
		expect(second.code, second.stderr).toBe(1);
		await look(afterwards, "over");
		for (const context of contexts) await context.close();
	});
});

/** Draws what a person sees, for somebody who looks at it. */
async function picture(page: Page, address: string, name: string): Promise<void> {
	if (!process.env.PICTURES) return;
	await page.goto(address);
	for (const colorScheme of ["light", "dark"] as const) {
		await page.emulateMedia({ colorScheme });
		const what = address.startsWith("file:") ? "report" : "page";
		const path = `${process.env.PICTURES}/${what}-${name}-${page.viewportSize()?.width}-${colorScheme}.png`;
		await page.screenshot({ path, fullPage: true });
	}
}
