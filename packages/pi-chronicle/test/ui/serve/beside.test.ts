// Two runs, visits or attempts side by side, by their addresses; the runs of several projects.
import type { LedgerEvent } from "@pi-chronicle/core/machine";
import { expect, it } from "vitest";
import { openHtml } from "../../../src/ui/report/index.ts";
import { readSubject } from "../../../src/ui/serve/comparison-page.ts";
import { drawRunsPage } from "../../../src/ui/serve/runs-page.ts";
import { dayOfWork } from "../report/ledgers.ts";
import { wordsOf } from "./page-bench.ts";
import { serveRun } from "./shown-runs.ts";

it("shows figures with their difference, of visits what was said, of attempts how they ended", async () => {
	const { events } = dayOfWork();
	const { run, signIn } = await serveRun(events);
	const id = run.split("/").at(-1) ?? "";
	const visitor = await signIn();
	const page = await visitor.get(`${run}/beside?one=${id}.1&other=${id}.2`);
	expect(page.status).toBe(200);
	const words = wordsOf(page.text);
	expect((await visitor.get(run)).text, "the run ended in visit 8, without a worker").toContain('id="visit-7"');
	for (const part of ["Side by side", "visit 1", "visit 2", "Active time", "Tokens out", "Said", "Changes"])
		expect(words).toContain(part);
	expect(words).toMatch(/Cost \$\d+\.\d+ \$\d+\.\d+ [+−]\$\d+\.\d+/);
	const whole = await visitor.get(`${run}/beside?one=${id}&other=${id}.2`);
	expect(wordsOf(whole.text)).toContain("Refused moves");
	expect((await visitor.get(run)).text).toContain(`value="${id}.2"`);

	const [first = 0, second = 0] = attemptsOfOneVisit(events);
	const attempts = await visitor.get(`${run}/beside?one=${id}.${first}&other=${id}.${second}`);
	expect(wordsOf(attempts.text)).toMatch(/Ended .* Model messages \d+ \d+/);

	for (const query of ["", "?one=x&other=y", "?one=RUN.1&other=RUN.77", "?one=RUN.1.9&other=RUN", "?one=RUN"])
		expect((await visitor.get(`${run}/beside${query.replaceAll("RUN", id)}`)).status, query).toBe(404);

	const pages = await Promise.all(Array.from({ length: 6 }, () => visitor.get(run)));
	const alone = await visitor.get(run);
	expect(new Set(pages.map(({ text }) => wordsOf(text))), "read once, however many look").toEqual(
		new Set([wordsOf(alone.text)]),
	);
});

it("names projects by their folders, and those of one name by their paths", async () => {
	const { project } = await serveRun(dayOfWork().events);
	const html = openHtml((text) => text);
	const listed = async (...folders: string[]) => {
		const served = folders.map((cwd, at) => ({
			key: `p-${at}`,
			project: { ...project, place: { ...project.place, cwd } },
		}));
		const page = wordsOf(html`${await drawRunsPage(html, served, undefined)}`.markup);
		return folders.flatMap((cwd) =>
			[cwd, cwd.slice(cwd.lastIndexOf("/") + 1)].filter((name) => page.includes(` ${name} `)),
		);
	};
	expect(await listed("/one/Büro", "/one/統計")).toEqual(["Büro", "統計"]);
	expect(await listed("/one/Büro", "/one/shop", "/two/shop")).toEqual(["Büro", "/one/shop", "/two/shop"]);
	expect(await listed("/one/shop")).toEqual([]);
});

/** `<visit>.<attempt>` of two attempts of the same visit. */
function attemptsOfOneVisit(events: readonly LedgerEvent[]): readonly string[] {
	const all = new Set(
		events.flatMap((event) => (event.kind === "worker_started" ? [`${event.visit}.${event.attempt}`] : [])),
	);
	const second = [...all].find((name) => name.endsWith(".2")) ?? "";
	return [second.replace(/2$/, "1"), second];
}

it.each(["", "x", "../../etc/passwd", "run.1", ".1", "a.1.2.3", "00000000-0000-4000-8000-000000000000.99999999"])(
	"names nothing: %j",
	async (name) => {
		expect(readSubject(name)).toBeUndefined();
	},
);
