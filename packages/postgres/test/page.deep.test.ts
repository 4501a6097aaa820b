// The page over an engine: one page for all hosts, whose questions are answered once.
import { basename } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { openModelServer } from "../../pi-chronicle/test/harness/index.ts";
import { patient } from "../../pi-chronicle/test/harness/patience.ts";
import { needsPostgres } from "../../pi-chronicle/test/harness/postgres.ts";
import { call } from "../../pi-chronicle/test/harness/reply.ts";
import { move, withTemplates, worker } from "../../pi-chronicle/test/runs/bench.ts";
import { serve, Visitor, wordsOf } from "../../pi-chronicle/test/ui/serve/page-bench.ts";
import { eventually, openEngineStage } from "./engine-stage.ts";
import { openLink } from "./link.ts";

const two = {
	states: {
		plan: { persona: "Planner", next: ["build"], requires_approval: true },
		build: { persona: "Builder", next: ["done"] },
	},
};

it("shows and steers the runs of all hosts, and a question is answered once, from wherever", {
	...needsPostgres,
	timeout: patient(180_000),
}, async () => {
	let gate = "";
	const server = await openModelServer({
		[worker("plan")]: ({ results }) =>
			results.length > 0 ? move("build", "Planned it.") : call("write", { path: "plan.md", content: "# The plan\n" }),
		[worker("build")]: ({ results }) =>
			results.length > 0
				? move("done", "Built it.")
				: call("bash", { command: `while [ -e ${gate} ]; do sleep 0.05; done; echo b > b.txt` }),
	});
	const stage = await openEngineStage(server, { files: withTemplates({ two }) });
	const held = stage.gate();
	gate = held.path;
	const link = await openLink(stage.cluster.url);
	const engine = { PI_CHRONICLE_ENGINE: link.url, PI_CHRONICLE_PROJECT: "app" };
	const page = await serve(stage.project, ["--name", "phone"], engine);
	const visitor = new Visitor(page.origin);
	await visitor.signIn(page.link);
	// A run from the page, and one from the command line; each host has one slot.
	const key = basename(stage.project.folder);
	await visitor.get(`/p/${key}/start/two`);
	const started = await visitor.send("/start/two", { task: "From the page", model: "scripted/one" });
	expect(started.status, wordsOf(started.text)).toBe(200);
	const submitted = await stage.cli(["run", "--json", "--model", "scripted/one", "two", "From the shell"]);
	const second = (JSON.parse(submitted.stdout) as { id: string }).id;
	const a = stage.host("a", {}, ["--slots", "1"]);
	const b = stage.host("b", {}, ["--slots", "1"]);
	await stage.until(second, ({ status, holder }) => status === "awaiting_approval" && holder === null);
	const { rows } = await stage.database.query<{ id: string }>(
		"SELECT id::text FROM chronicle.run WHERE task LIKE 'From the page'",
	);
	const first = rows[0]?.id ?? "";
	await stage.until(first, ({ status, holder }) => status === "awaiting_approval" && holder === null);
	const list = wordsOf((await visitor.get("/")).text);
	for (const words of ["Waiting for you 2", "From the page", "From the shell"]) expect(list).toContain(words);

	// Everything that the host knows of the visit.
	const address = (run: string): string => `/p/${key}/r/${run}`;
	const shown = wordsOf((await visitor.get(address(first))).text);
	for (const words of ["Move from plan to build?", "Planned it.", "# The plan", "System prompt 1.1"])
		expect(shown).toContain(words);

	// At once on the page, in another window of it, and in a shell.
	const other = new Visitor(page.origin);
	other.cookie = visitor.cookie;
	await other.get(address(first));
	const asked = (await stage.events(first)).find(({ kind }) => kind === "approval_asked");
	const [one, two_, shell] = await Promise.all([
		visitor.send("/approve", { words: "use tabs" }),
		other.send("/reject", { words: "no" }),
		// A slow shell must not answer what the next worker asks.
		stage.cli(["approve", first, "--answers", `${asked?.seq}`, "use spaces"]),
	]);
	const accepted = [one.status === 200, two_.status === 200, shell.code === 0];
	expect(accepted.filter(Boolean), `${wordsOf(one.text)}\n${wordsOf(two_.text)}\n${shell.stderr}`).toHaveLength(1);
	for (const said of [
		...[one, two_].filter(({ status }) => status !== 200).map(({ text }) => wordsOf(text)),
		...(shell.code === 0 ? [] : [shell.stderr]),
	])
		expect(said).toMatch(/by postgres|by \w+ from|has answered this already/);
	const answers = async () =>
		(await stage.events(first)).filter(({ kind }) => kind === "approved" || kind === "rejected").length;
	expect(await eventually(answers, (count) => count > 0)).toBe(1);

	// The page keeps working while a host is killed, and follows the run to the next one.
	await visitor.get(address(second));
	expect((await visitor.send("/approve", {})).status).toBe(200);
	await stage.untilEvents(second, (events) =>
		events.some(({ kind, ...event }) => kind === "tool_started" && "visit" in event && event.visit === 2),
	);
	const { holder } = await stage.until(second, (row) => row.holder !== null);
	const hosts = await stage.database.query<{ id: string; pid: number }>(
		"SELECT id::text, pid FROM chronicle.host WHERE id = $1",
		[holder],
	);
	for (const host of [a, b]) if (host.child.pid === hosts.rows[0]?.pid) await host.child.kill();
	const live = liveMarks(visitor, `${address(second)}/live`);
	held.open();
	await stage.until(second, ({ status, holder: now }) => status === "done" && now === null);
	await eventually(
		() => live.marks.length,
		(count) => count >= 2,
	);
	expect(live.marks.length).toBeGreaterThanOrEqual(2);
	live.stop();
	const ended = wordsOf((await visitor.get(`${address(second)}/visits/2`)).text);
	for (const words of ["Built it.", "A b.txt +1", "System prompt 2.2"]) expect(ended).toContain(words);

	// A short hiccup only delays the page. An outage is said within seconds, also to pages that are open, and nothing has to be done when it is over.
	const dead = "postgres://127.0.0.1:1";
	for (const [cut, words] of [
		[() => link.lead(dead), /This run cannot be shown.*cannot be reached/],
		[() => link.cut(), /This run cannot be shown.*does not answer/],
	] as const) {
		cut();
		const during = visitor.get(address(first));
		await sleep(500);
		link.lead(stage.cluster.url);
		expect((await during).status, wordsOf((await during).text)).toBe(200);
		const open = liveMarks(visitor, `${address(first)}/live`);
		await eventually(
			() => open.marks.length,
			(count) => count > 0,
		);
		const from = performance.now();
		cut();
		const shown = await visitor.get(address(first));
		expect(performance.now() - from).toBeLessThan(3000);
		expect([shown.status, shown.headers.get("refresh"), wordsOf(shown.text)]).toEqual([
			503,
			"3",
			expect.stringMatching(words),
		]);
		expect(wordsOf((await visitor.get("/")).text)).toMatch(/all runs cannot be read/);
		await eventually(
			() => open.marks.at(-1),
			(mark) => mark === "unread",
		);
		expect(performance.now() - from).toBeLessThan(4000);
		link.lead(stage.cluster.url);
		const back = await eventually(
			() => open.marks.at(-1),
			(mark) => mark !== "unread",
		);
		expect(back).toMatch(/^\d+\./);
		expect((await visitor.get(address(first))).status).toBe(200);
		open.stop();
	}
});

/** The marks of the changes that a page is told. */
function liveMarks(visitor: Visitor, path: string): { readonly marks: string[]; stop(): void } {
	const marks: string[] = [];
	const control = new AbortController();
	const read = async (): Promise<void> => {
		const response = await fetch(new URL(path, visitor.origin), {
			headers: { cookie: visitor.cookie },
			signal: control.signal,
		});
		const decoder = new TextDecoder();
		for await (const chunk of response.body ?? [])
			marks.push(...[...decoder.decode(chunk).matchAll(/^id: (.*)$/gm)].map(([, mark = ""]) => mark));
	};
	read().catch(() => {});
	return { marks, stop: () => control.abort() };
}
