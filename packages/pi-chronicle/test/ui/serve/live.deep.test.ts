// A page that stays open in Chromium while its run changes: nothing that a person does in it is lost, and it is current again by itself.
import { connect as connectTo, createServer, type Socket } from "node:net";
import type { Browser, CDPSession, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ask, definition, open, start, type TestRun } from "../../../../core/test/machine/test-run.ts";
import { chromiumPath, startChromium } from "../../harness/browser.ts";
import { closeLater } from "../../harness/lifetime.ts";
import { needsProgram } from "../../harness/needs.ts";
import { patient } from "../../harness/patience.ts";
import { restWith } from "../report/ledgers.ts";
import { type Shown, serveRun } from "./shown-runs.ts";

const states = {
	plan: { persona: "P", next: ["build"], requires_approval: true },
	build: { persona: "B", next: ["plan", "done"], requires_approval: true },
	done: {},
};

function asking(): TestRun {
	const play = start(open(definition(states)));
	ask(play, "build", "The plan stands.");
	return restWith(play, []);
}

/** The same run when it asks its next question. */
function askingAnew(): TestRun {
	const play = asking();
	const { stage } = play.run;
	if (stage.kind !== "asking") throw new Error("It asks nothing.");
	play.say({ kind: "approved", answers: stage.question.seq, diff: stage.question.diff });
	start(play);
	ask(play, "done", "It is built.");
	return restWith(play, []);
}

let browser: Browser;

/** A signed-in page of the run, by touch, at `origin`. */
async function openPage(shown: Shown, origin = shown.origin): Promise<Page> {
	const context = await browser.newContext({ viewport: { width: 390, height: 844 }, hasTouch: true });
	closeLater(() => context.close());
	const page = await context.newPage();
	await page.goto(`${origin}${new URL(shown.links("phone").at(-1) ?? "").pathname}`);
	await page.getByRole("button", { name: "Open" }).click();
	await page.getByRole("link", { name: "Show the runs" }).click();
	await page.goto(`${origin}${shown.run}`);
	return page;
}

const said = (page: Page, words: string) => page.getByText(words).first();
const patience = { timeout: patient(5000) };

interface Press {
	down(): Promise<unknown>;
	up(): Promise<unknown>;
}

type MakePress = (page: Page, name: string, touches: CDPSession) => Promise<Press>;

async function middleOf(page: Page, name: string): Promise<{ x: number; y: number }> {
	const button = page.getByRole("button", { name, exact: true });
	await button.scrollIntoViewIfNeeded();
	const box = await button.boundingBox();
	if (!box) throw new Error(`no button ${name}`);
	return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

const presses: Readonly<Record<string, MakePress>> = {
	async mouse(page, name) {
		const { x, y } = await middleOf(page, name);
		await page.mouse.move(x, y);
		return { down: () => page.mouse.down(), up: () => page.mouse.up() };
	},
	async finger(page, name, touches) {
		const at = await middleOf(page, name);
		return {
			down: () => touches.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: [at] }),
			up: () => touches.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] }),
		};
	},
	async "space key"(page, name) {
		await page.getByRole("button", { name, exact: true }).focus();
		return { down: () => page.keyboard.down(" "), up: () => page.keyboard.up(" ") };
	},
};

/** Resolves once the page has fetched what it shows. */
const fetched = (page: Page, { run }: Shown) =>
	page.waitForResponse((one) => new URL(one.url()).pathname === run && one.request().resourceType() === "fetch");

/** Changes the run; resolves once the page has had the new one, and time to show it. */
async function changeTo(page: Page, shown: Shown, { events }: TestRun): Promise<void> {
	const changed = fetched(page, shown);
	shown.show(events);
	await (await changed).finished();
	await page.evaluate("new Promise((resolve) => setTimeout(resolve, 200))");
}

describe("in a browser", needsProgram("chromium", chromiumPath), () => {
	beforeAll(async () => {
		browser = await startChromium();
	}, patient(60_000));
	afterAll(() => browser?.close());

	it.each(Object.entries(presses))(
		"a press by %s counts for the question that it began on, although the run asks another one before it ends",
		async (_what, pressOn) => {
			const shown = await serveRun(asking().events);
			const page = await openPage(shown);
			const touches = await page.context().newCDPSession(page);
			const posted = page.waitForRequest("**/approve", patience);
			const press = await pressOn(page, "Approve", touches);
			await press.down();
			await changeTo(page, shown, askingAnew());
			await said(page, "The plan stands.").waitFor(patience);
			await press.up();
			expect(new URLSearchParams((await posted).postData() ?? "").get("answers")).toBe("8");
		},
		patient(60_000),
	);

	it(
		"a press on what opens a part opens it, although the part changes before it ends; then the page is current",
		async () => {
			const shown = await serveRun(asking().events);
			const page = await openPage(shown);
			await page.locator("summary", { hasText: "Reject, with words" }).hover();
			await page.mouse.down();
			await changeTo(page, shown, askingAnew());
			await page.mouse.up();
			await said(page, "It is built.").waitFor(patience);
			await page.getByLabel("What the worker should change").waitFor(patience);
		},
		patient(60_000),
	);

	it(
		"a press that leaves the button, or is taken by scrolling, does not keep the page from being current",
		async () => {
			const shown = await serveRun(asking().events);
			const page = await openPage(shown);
			const touches = await page.context().newCDPSession(page);
			const touch = (type: "touchStart" | "touchCancel", touchPoints: { x: number; y: number }[]) =>
				touches.send("Input.dispatchTouchEvent", { type, touchPoints });
			await touch("touchStart", [await middleOf(page, "Approve")]);
			await changeTo(page, shown, askingAnew());
			await touch("touchCancel", []);
			await said(page, "It is built.").waitFor(patience);
			expect(shown.posted).toEqual([]);
		},
		patient(60_000),
	);

	it(
		"a new question takes no press in its first moment, and then it does",
		async () => {
			const shown = await serveRun(asking().events);
			const page = await openPage(shown);
			await page.evaluate(`new MutationObserver((_, own) => {
				const button = document.querySelector("#asks button.main");
				if (!document.querySelector("#asks").textContent.includes("It is built.")) return;
				own.disconnect();
				const { x, y } = button.getBoundingClientRect();
				globalThis.underFinger = document.elementFromPoint(x + 5, y + 5)?.textContent;
				button.focus();
				globalThis.hasFocus = document.activeElement === button;
			}).observe(document.querySelector("main"), { childList: true, subtree: true });`);
			await page.getByRole("button", { name: "Approve", exact: true }).scrollIntoViewIfNeeded();
			shown.show(askingAnew().events);
			await said(page, "It is built.").waitFor(patience);
			expect(await page.evaluate("[globalThis.underFinger !== 'Approve', globalThis.hasFocus]")).toEqual([true, false]);
			await page.getByRole("button", { name: "Approve", exact: true }).tap(patience);
			await expect.poll(() => shown.posted).toMatchObject([{ kind: "approved" }]);
		},
		patient(60_000),
	);

	it(
		"who goes through the page by keyboard stays where he is",
		async () => {
			const shown = await serveRun(asking().events);
			const page = await openPage(shown);
			await page.locator("summary", { hasText: "Reject, with words" }).focus();
			await page.evaluate("globalThis.before = document.activeElement");
			shown.show(askingAnew().events);
			await said(page, "It is built.").waitFor(patience);
			expect(
				await page.evaluate("[document.activeElement.textContent, document.activeElement === globalThis.before]"),
			).toEqual(["Reject, with words", false]);
		},
		patient(60_000),
	);

	it(
		"a page that was opened before the run had begun shows its visits when there are some",
		async () => {
			const shown = await serveRun(open(definition(states)).events);
			const page = await openPage(shown);
			shown.show(asking().events);
			await page.getByRole("navigation", { name: "Visits" }).waitFor(patience);
		},
		patient(60_000),
	);

	it(
		"a page whose run is removed says so, and keeps what it shows",
		async () => {
			const play = asking();
			const shown = await serveRun(play.events);
			const page = await openPage(shown);
			shown.remove();
			await page.locator("#live", { hasText: "It may have been removed. What you see may be old." }).waitFor(patience);
			await said(page, "The plan stands.").waitFor(patience);
		},
		patient(60_000),
	);

	it(
		"a page that was hidden has no connection meanwhile, and is current as soon as it is looked at",
		async () => {
			const shown = await serveRun(asking().events);
			const page = await openPage(shown);
			const show = (hidden: boolean) =>
				page.evaluate(`Object.defineProperty(document, "hidden", { configurable: true, value: ${hidden} });
					document.dispatchEvent(new Event("visibilitychange"));`);
			await fetched(page, shown);
			await show(true);
			let asked = 0;
			page.on("request", () => {
				asked += 1;
			});
			shown.show(askingAnew().events);
			await shown.seen();
			expect(asked).toBe(0);
			await show(false);
			await said(page, "It is built.").waitFor(patience);
		},
		patient(60_000),
	);

	it(
		"a page whose connection is dead without a word, as after a night in a bag, connects again",
		async () => {
			const relay = await openRelay();
			const shown = await serveRun(asking().events, { proxies: [relay.origin] });
			relay.to(shown.port);
			const page = await openPage(shown, relay.origin);
			await page.clock.install();
			await page.reload();
			await fetched(page, shown);
			relay.freeze();
			shown.show(askingAnew().events);
			await shown.seen();
			await page.clock.fastForward(60_000);
			await said(page, "It is built.").waitFor(patience);
		},
		patient(60_000),
	);
});

/** A way to the server whose open connections can be made to stay open and carry nothing. */
async function openRelay() {
	let port = 0;
	const sockets = new Set<Socket>();
	const server = createServer((near) => {
		const far = connectTo(port, "127.0.0.1");
		for (const [one, other] of [
			[near, far],
			[far, near],
		] as const) {
			sockets.add(one);
			one.pipe(other);
			one.on("error", () => {});
			one.on("close", () => other.destroy());
		}
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	closeLater(async () => {
		for (const socket of sockets) socket.destroy();
		await new Promise((resolve) => server.close(resolve));
	});
	const address = server.address();
	const own = typeof address === "object" ? address?.port : 0;
	return {
		origin: `http://127.0.0.1:${own}`,
		to(served: number) {
			port = served;
		},
		freeze() {
			for (const socket of sockets) socket.unpipe().pause();
		},
	};
}
