// Runs that are looked at, answered and steered on the page, with real pi workers and the packed command.
import { basename } from "node:path";
import { expect, it } from "vitest";
import { openBench } from "../../harness/index.ts";
import { patient } from "../../harness/patience.ts";
import { call } from "../../harness/reply.ts";
import { chronicle, eventsOf, ledgerOf, move, withTemplates, worker } from "../../runs/bench.ts";
import { formOf, serve, Visitor, wordsOf } from "./page-bench.ts";

const twoStates = {
	states: {
		plan: { persona: "Planner", next: ["build"], requires_approval: true },
		build: { persona: "Builder", next: ["done"] },
	},
};

it(
	"an approval is answered on the page: it names the question and the files, says who answered, and the run goes on",
	async () => {
		const { project } = await openBench({
			files: { ...withTemplates({ two: twoStates }), "src/a.txt": "one\n" },
			git: true,
			script: {
				[worker("plan")]: [call("write", { path: "plan.md", content: "# Plan <b>\n" }), move("build", "Planned <it>.")],
				[worker("build")]: [call("write", { path: "b.txt", content: "b\n" }), move("done", "Built it.")],
			},
		});
		const first = await chronicle(project, ["run", "--json", "two", "Do <script>it</script>"]);
		expect(first.code, first.stderr).toBe(3);
		const { id } = ledgerOf(project);
		const page = await serve(project, ["--supervise", "--name", "phone"]);
		const visitor = new Visitor(page.origin);
		await visitor.signIn(page.link);
		const list = await visitor.get("/");
		expect(wordsOf(list.text)).toMatch(/Waiting for you 1 awaiting approval two Do <script>it<\/script>/);
		const address = `/p/${basename(project.folder)}/r/${id}`;
		const run = await visitor.get(address);
		expect(run.status, wordsOf(run.text)).toBe(200);
		expect(run.text).not.toContain("<script>it");
		for (const words of ["Move from plan to build?", "Planned <it>.", "# Plan <b>", "System prompt 1.1"])
			expect(wordsOf(run.text)).toContain(words);
		// A form that is as old as the question before is refused, and so is one about other files.
		const old = { ...formOf(visitor.page.text, "/approve")?.hidden, tree: "0".repeat(40) };
		const refused = await visitor.post(`${address}/approve`, old);
		expect(refused.status, refused.text.slice(0, 300)).toBe(409);
		expect(wordsOf(visitor.page.text)).toContain("The files have changed since you saw the question.");
		expect(wordsOf(visitor.page.text)).toContain("Move from plan to build?");
		const approved = await visitor.send("/approve", { words: "use tabs" });
		expect(approved.status, wordsOf(approved.text)).toBe(200);
		await expect.poll(() => ledgerOf(project).status, { timeout: patient(30_000) }).toBe("done");
		const event = eventsOf(project).find(({ kind }) => kind === "approved");
		expect(event).toMatchObject({ words: "use tabs", via: "the page (phone, 127.0.0.1)" });
		await visitor.get(`${address}/visits/1`);
		expect(wordsOf(visitor.page.text)).toContain(
			"Approved the move from plan to build, through the page (phone, 127.0.0.1)",
		);
		expect(project.read("b.txt")).toBe("b\n");
	},
	patient(120_000),
);

it(
	"a run is started on the page, approved, rewound after a look at what that changes, and resumed",
	async () => {
		const planned = [call("write", { path: "plan.md", content: "# Plan\n" }), move("build", "Planned it.")];
		const { project } = await openBench({
			files: { ...withTemplates({ two: twoStates }), "src/a.txt": "one\n" },
			git: true,
			script: {
				[worker("plan")]: [...planned, ...planned],
				[worker("build")]: [call("write", { path: "b.txt", content: "b\n" }), move("done", "Built it.")],
			},
		});
		const page = await serve(project, ["--supervise", "--name", "phone"]);
		const visitor = new Visitor(page.origin);
		await visitor.signIn(page.link);
		const key = basename(project.folder);
		await visitor.get(`/p/${key}/start/two`);
		const started = await visitor.send("/start/two", { task: "Do it\nwell" });
		expect(started.status, wordsOf(started.text)).toBe(200);
		const status = () => ledgerOf(project).status;
		await expect.poll(status, { timeout: patient(30_000) }).toBe("awaiting_approval");
		const { id } = ledgerOf(project);
		const address = `/p/${key}/r/${id}`;
		const look = async () => wordsOf((await visitor.get(address)).text);
		await expect.poll(look, { timeout: patient(10_000) }).toContain("Move from plan to build?");
		await visitor.send("/approve");
		await expect.poll(status, { timeout: patient(30_000) }).toBe("done");

		await visitor.get(address);
		const asked = await visitor.send("/rewind", { to: "1" });
		expect(wordsOf(asked.text), "asks first").toMatch(/plan\.md|b\.txt/);
		expect(status()).toBe("done");
		await visitor.send("/rewind");
		await expect.poll(status, { timeout: patient(30_000) }).toBe("paused");
		expect(project.exists("b.txt")).toBe(false);
		await visitor.get(address);
		await visitor.send("/resume");
		await expect.poll(status, { timeout: patient(30_000) }).toBe("awaiting_approval");
	},
	patient(120_000),
);
