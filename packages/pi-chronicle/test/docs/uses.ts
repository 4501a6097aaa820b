// Who uses which document for what: the project, the model that does the work, what the prose tells the user beside the lines, and the result that
// the document promises.
import { spawnSync } from "node:child_process";
import { expect } from "vitest";
import { call, type ModelRequest, type Reply, type Script } from "../harness/index.ts";
import { patient } from "../harness/patience.ts";
import { needsPostgres, startPostgres } from "../harness/postgres.ts";
import { Visitor, wordsOf } from "../ui/serve/page-bench.ts";
import type { DocumentProject } from "./document-project.ts";
import type { Use } from "./follow.ts";
import { operations } from "./operations-use.ts";
import { outsideUses } from "./outside-uses.ts";
import { scripts } from "./scripts.ts";
import { sessionUses } from "./session-uses.ts";
import { errorsOf, inState, move, type Part, parts, printedCommand, slow, turns, until, write } from "./use-parts.ts";

const build = (summary: string) => move("building", summary, { data: { criteria: ["greeting.txt says hello"] } });
/** A change of files whose names are known only when it runs. */
const everyFile = (text: string) =>
	call("bash", { command: `for f in $(git ls-files '*.md'); do echo ${text} >> "$f"; done` });

const feature: readonly Part[] = [
	[
		inState("planning"),
		[call("workflow_update_snapshot", { pending_tasks: ["Write greeting.txt"] }), build("One file.")],
	],
	[inState("building"), [write("greeting.txt", "hello\n"), everyFile("hello"), move("tests")]],
	[inState("review"), [call("bash", { command: "cat greeting.txt" }), move("done")]],
];

const engine: Use = {
	document: "docs/engine.md",
	sections: ["Try it: two hosts on one machine"],
	files: { "README.md": "app\n" },
	script: parts(...feature),
	needs: needsPostgres,
	env: async () => ({ PGPORT: new URL((await startPostgres()).url).port }),
	stays: / engine worker /,
	fill: { "<template>": "feature", "<task…>": "Add a greeting" },
	deeds: [
		[/ engine worker /, async (_at, { line, start }) => start(line.replace("--name a", "--name b"))],
		[
			/ run /,
			async (at, { printed }) => {
				const [, run = ""] = /\(([0-9a-f-]{36})\)/.exec(printed) ?? [];
				const status = printedCommand(printed, "status");
				const asked = await until(at, status, /awaiting approval/);
				expect((await at.run(printedCommand(asked, "approve"))).code).toBe(0);
				await until(at, status, / · done/);
				const remote = at.project.git("remote", "get-url", "origin").trim();
				const show = (file: string) =>
					spawnSync("git", ["--git-dir", remote, "show", `chronicle/${run}:${file}`], { encoding: "utf8" }).stdout;
				await expect.poll(() => show("greeting.txt"), { timeout: patient(10_000) }).toBe("hello\n");
				expect(show("README.md")).toBe("app\nhello\n");
			},
		],
	],
};

const children: Use = {
	document: "docs/children.md",
	sections: ["Definition"],
	files: { "README.md": "app\n" },
	script: parts(
		[
			inState("planning"),
			[call("workflow_update_snapshot", { pending_tasks: ["Write month.txt", "Write year.txt"] }), move("building")],
		],
		[inState("building", "nothing else: Write month.txt"), [write("month.txt"), move("testing")]],
		[inState("building", "nothing else: Write year.txt"), [write("year.txt"), everyFile("year"), move("testing")]],
		[inState("integration"), [call("bash", { command: "cat month.txt year.txt README.md" }), move("done")]],
		[/state "/, [move("done")]],
	),
	async result({ project }) {
		expect(project.read("month.txt") + project.read("year.txt")).toBe("month.txt\nyear.txt\n");
		expect(project.read("README.md")).toBe("app\nyear\n");
	},
};

const guard: Use = {
	document: "docs/guard.md",
	files: { ".env": "KEY=1\n", "src/a.txt": "a\n", "dist/a.js": "a\n", "migrations/1.sql": "1\n" },
	script: turns(
		[/Clean up/, [call("bash", { command: "git -C . reset --hard" }), call("read", { path: ".env" })]],
		[/Note it/, [write("notes.md"), call("bash", { command: "echo noted >> notes.md" })]],
		[
			/Migrate/,
			[
				call("bash", { command: "echo 2 > migrations/1.sql" }),
				call("bash", { command: "rm -rf src" }),
				call("bash", { command: "rm -rf dist" }),
			],
		],
	),
	deeds: [
		[/guard init/, async ({ project }) => expect(project.exists(".pi/damage-control-rules.yaml")).toBe(true)],
		[
			/guard rules/,
			async (at) => {
				at.project.write("src/a.txt", "not committed\n");
				expect(await errorsOf(at, "Clean up")).toEqual([true, true]);
				expect(at.project.read("src/a.txt")).toBe("not committed\n");
			},
		],
		[
			/readonly on/,
			async (at) => {
				expect(await errorsOf(at, "Note it")).toEqual([true, true]);
				expect(at.project.exists("notes.md")).toBe(false);
			},
		],
	],
	async result(at) {
		await at.type(["/guard reload"]);
		expect(await errorsOf(at, "Migrate")).toEqual([true, true, false]);
		expect(at.project.list("migrations")).toEqual(["migrations/1.sql"]);
		expect(at.project.read("migrations/1.sql")).toBe("1\n");
		expect([at.project.exists("src/a.txt"), at.project.exists("dist")]).toEqual([true, false]);
	},
};

/** Starts the plan that is shown, approves its first move, and waits for its end. */
async function startAndApprove(at: DocumentProject, asked: RegExp, template: string): Promise<void> {
	const { screen } = await at.pi();
	screen.answer(await screen.dialog(asked, slow), "Start it now");
	await approveInPi(at, /Move from plan to build/, new RegExp(`${template}.*: done`, "i"));
}

async function approveInPi(at: DocumentProject, question: RegExp, end: RegExp): Promise<void> {
	const { screen } = await at.pi();
	screen.answer(await screen.dialog(question, slow), "Approve");
	await screen.notified(end, slow);
}

const drafted = (scripts.plan as () => string)();

/** Words of a task or of its file, and the name of the definition that is drafted for it. */
const draftedNames = [
	["reviewed by someone", "Reviewed"],
	["Look around", "Chain"],
	["tell the list", "Process"],
] as const;

const plan: Use = {
	document: "docs/chronicle.md",
	sections: [
		"Draft in pi",
		"From a definition of another tool",
		"Draft on the command line",
		"Let the model propose runs",
	],
	files: {
		"README.md": "app\n",
		".pi/agents/agent-chain.yaml": "look:\n  steps: [{ agent: scout, prompt: Look around }]\n",
		"notes/process.md": "Tag it, then tell the list.\n",
	},
	script: (request) => {
		const said = request.users.join("\n");
		if (/Draft a definition/.test(request.system + said)) {
			const [, name] = draftedNames.find(([marker]) => said.includes(marker)) ?? [];
			if (name === undefined) return drafted;
			return drafted.replace("one-month.yaml", `${name.toLowerCase()}.yaml`).replace("One month", name);
		}
		const [task = ""] = /(?:reviewed by|by hand|proposed|version 2)/.exec(request.users.join("\n")) ?? [];
		return answerTo(
			request,
			parts(
				[inState("plan"), [move("build")]],
				[inState("build"), [write(`${task.replaceAll(" ", "-")}.txt`), move("done")]],
				[/As a run/, [call("propose_run", { template: "one-month", task: "proposed" })]],
			),
		);
	},
	fill: { "<task…>": "by hand" },
	answers: "later",
	deeds: [
		[
			/^\/plan Export/,
			async (at) => {
				await startAndApprove(at, /Start this plan\?/, "Reviewed");
				expect(at.project.read("reviewed-by.txt")).toBe("reviewed-by.txt\n");
			},
		],
		[
			/^\/plan .*agent-chain/,
			async (at) => {
				const { screen } = await at.pi();
				screen.answer(await screen.dialog(/Start this plan\?/, slow), "Save its files, start nothing");
				await expect.poll(() => at.project.exists(".pi/chronicle/workflows/chain.yaml"), { timeout: slow }).toBe(true);
			},
		],
		[
			/^\/plan @notes/,
			async (at) => {
				await startAndApprove(at, /Start this plan\?/, "Process");
				expect(at.project.read("version-2.txt")).toBe("version-2.txt\n");
			},
		],
		[
			/plan --save/,
			async (at, { printed }) => {
				const started = await at.run(`${printedCommand(printed, "run").replace("<task…>", "by hand")} || true`);
				expect((await at.run(printedCommand(started.printed, "approve"))).code).toBe(0);
				expect(at.project.read("by-hand.txt")).toBe("by-hand.txt\n");
			},
		],
		[
			/tool on/,
			async (at) => {
				const pi = await at.pi();
				await pi.prompt("As a run, with a review");
				pi.screen.answer(await pi.screen.dialog(/proposed/, slow), "Yes, start it");
				await approveInPi(at, /Move from plan to build/, /One month.*: done/);
				expect(at.project.read("proposed.txt")).toBe("proposed.txt\n");
			},
		],
	],
};

function answerTo(request: ModelRequest, script: Script) {
	return (script as (request: ModelRequest) => Reply | string)(request);
}

const step = (summary: string) => call("workflow_step", { action: "next", summary });

const gallery: Use = {
	document: "docs/gallery.md",
	files: { "README.md": "app\n", "total.txt": "wrong\n" },
	script: parts(...feature, [
		/refund/,
		[
			write("test/refund.txt"),
			step("It fails."),
			step("The sign."),
			write("total.txt", "right\n"),
			step("Repaired."),
			step("Confirmed."),
		],
	]),
	answers: "later",
	deeds: [
		[
			/^\/chronicle feature/,
			async (at) => {
				await approveInPi(at, /Move from planning to building/, /Feature.*: done/);
				expect(at.project.read("greeting.txt")).toBe("hello\n");
			},
		],
		[
			/^\/workflow bug-hunt/,
			async (at) => {
				await (await at.pi()).screen.notified(/Bug hunt.* is DONE/, slow);
				expect(at.project.read("total.txt")).toBe("right\n");
			},
		],
	],
	async result({ project }) {
		expect(project.exists(".pi/agents/feature-builder.md")).toBe(true);
		expect(project.git("tag")).toBe("");
	},
};

const migrate: Use = {
	document: "docs/migrate.md",
	script: parts(
		[inState("look"), [move("fix", "It takes a greeting.")]],
		[inState("fix", "It takes a greeting"), [write("index.html", "hello\n"), move("done")]],
	),
	async result({ project }) {
		expect(project.read("index.html")).toBe("hello\n");
		expect(project.exists("old/look-and-fix.yaml")).toBe(true);
	},
};

const rehearsal: Use = {
	document: "docs/rehearsal.md",
	example: "receipts",
	script: [],
	async result({ project }) {
		// What the rehearsals changed, they changed in their copies.
		expect(project.git("status", "--short", "--", ":!.pi/rehearsals")).toBe("");
	},
};

const readme: Use = {
	document: "README.md",
	sections: ["Use it", "Write your own"],
	files: { "README.md": "app\n" },
	script: parts(...feature),
	answers: "later",
	deeds: [
		[
			/^\/chronicle feature/,
			async (at) => {
				await approveInPi(at, /Move from planning to building/, /Feature.*: done/);
				expect(at.project.read("greeting.txt")).toBe("hello\n");
			},
		],
	],
};

const updating: Use = {
	document: "docs/updating.md",
	files: { "README.md": "app\n", ".gitignore": "dist/\n" },
	script: () => "ok",
	async result(at) {
		expect(at.project.read(".gitignore")).toBe("dist/\n.pi/chronicle/sessions/\n");
		expect((await at.run("pi-chronicle --version")).code).toBe(0);
	},
};

/** The tests pass after the second repair. */
const repairOfTwo = `echo one >> repairs.txt; [ $(wc -l < repairs.txt) -lt 2 ] || echo '{"scripts":{"test":"node -e 0"}}' > package.json`;

const sequences: Use = {
	document: "docs/sequences.md",
	answers: "terminal",
	script: ({ lastUser, afterResults }) => {
		const [, name] =
			/^Write (\w+)/.exec(lastUser.replace(/^[\s\S]*own words:\s+build the parser/, "Write built")) ?? [];
		if (afterResults) return "Done.";
		if (name !== undefined) return call("bash", { command: `echo ${name} >> ${name}.txt` });
		if (lastUser.startsWith("Repair")) return call("bash", { command: repairOfTwo });
		return /handoff/i.test(lastUser) ? call("handoff", { context: "It is planned." }) : "Nothing is missing.";
	},
	async before(at) {
		const tui = await at.tui();
		await tui.submit("/sequence");
		for (const text of ["Write $1", "Check $1", "Say what is missing for $@"]) await tui.submit(text);
		await tui.press("ctrl+enter");
		await tui.waitForScreen("Run this sequence how many times?");
		await tui.press("escape");
	},
	deeds: [
		[
			/save plan/,
			async ({ project }) => {
				const file = ".pi/sequences/plan.yaml";
				await expect.poll(() => project.exists(file) && project.read(file)).toContain("Write $1");
			},
		],
		[
			/edit plan/,
			async (at) => {
				const tui = await at.tui();
				await tui.waitForScreen("recording sequence");
				await tui.press("ctrl+enter");
				await tui.waitForScreen((screen) => !screen.includes("recording sequence"));
			},
		],
		[
			/delete plan/,
			async (at) => {
				const tui = await at.tui();
				await tui.waitForScreen("Delete the sequence");
				await tui.press("y");
				await expect.poll(() => at.project.exists(".pi/sequences/plan.yaml")).toBe(false);
			},
		],
		[
			/run green/,
			async (at) => {
				await (await at.tui()).waitForScreen(/✓ sequence · 2 of 10 runs/, slow);
				await untilLines(at, { "repairs.txt": 2 });
			},
		],
		[
			/run$/,
			async (at) => {
				const tui = await at.tui();
				await tui.waitForScreen("Arguments for");
				tui.type("first");
				await tui.press("enter");
				await tui.waitForScreen(/✓ sequence · 1 of 1 run/, slow);
			},
		],
		[/run 5 the parser$/, (at) => untilLines(at, { "the.txt": 5 })],
		[/run plan 5/, (at) => untilLines(at, { "built.txt": 5 })],
		[
			/--dry-run/,
			async (at) => {
				await (await at.tui()).waitForScreen("Nothing was sent");
				await (await at.tui()).still();
			},
		],
		[/--max-cost/, (at) => untilLines(at, { "the.txt": 10 })],
		[/--from/, (at) => untilLines(at, { "the.txt": 13 })],
	],
	result: (at) => untilLines(at, { "first.txt": 1, "the.txt": 13, "built.txt": 5 }),
};

/** Waits until the files have so many lines, and the terminal shows the totals of the sequence. */
async function untilLines(at: DocumentProject, wanted: Readonly<Record<string, number>>): Promise<void> {
	const lines = () =>
		Object.fromEntries(
			Object.keys(wanted).map((file) => [
				file,
				at.project.exists(file) ? at.project.read(file).split("\n").length - 1 : 0,
			]),
		);
	await expect.poll(lines, { timeout: patient(15_000) }).toEqual(wanted);
	// The last run has a session of its own, so these totals are not those of an earlier sequence.
	await (await at.tui()).waitForScreen(/✓ sequence · \d of \d+ runs?/, slow);
	await (await at.tui()).still();
}

const phone: Use = {
	document: "docs/tutorials.md",
	sections: ["Answer from your phone"],
	files: { "README.md": "app\n" },
	script: parts(
		[
			inState("planning"),
			[
				call("workflow_update_snapshot", { pending_tasks: ["Write greeting.txt"] }),
				build("A greeting in a file."),
				build("As you said, in lower case."),
			],
		],
		...feature.slice(1),
	),
	// Any free port of this machine alone, in place of the network.
	fill: { "0.0.0.0": "127.0.0.1 --port 0" },
	stays: / serve /,
	async before(at) {
		expect(await at.run("pi-chronicle run --approve feature Add a greeting")).toMatchObject({ code: 3 });
	},
	deeds: [[/ serve /, async (at, { running }) => answerOnPhone(at, running)]],
	async result({ project }) {
		expect(project.read("greeting.txt")).toBe("hello\n");
	},
};

/** Opens the link that the page's command prints, rejects the plan with words, approves the next one, and looks at the desk. */
async function answerOnPhone(at: DocumentProject, running: () => string): Promise<void> {
	const find = () => /http:\/\/\S+\/open\/\S+/.exec(running())?.[0];
	await expect.poll(find, { timeout: patient(15_000) }).toBeDefined();
	const link = find() ?? "";
	const visitor = new Visitor(new URL(link).origin);
	await visitor.signIn(link);
	const list = (await visitor.get("/")).text;
	expect(wordsOf(list)).toMatch(/Waiting for you 1 awaiting approval feature Add a greeting/);
	const [, address = ""] = /href="(\/p\/[^"]+\/r\/[^"]+)"/.exec(list) ?? [];
	const shows = async () => wordsOf((await visitor.get(address)).text);
	expect(await shows()).toContain("A greeting in a file.");
	await visitor.send("/reject", { words: "All of it in lower case." });
	await expect.poll(shows, { timeout: patient(40_000), interval: 300 }).toContain("As you said, in lower case.");
	const asked = () => expect.poll(shows, { timeout: patient(40_000), interval: 300 }).toContain("Move from planning");
	await asked();
	await visitor.send("/approve");
	await until(at, "pi-chronicle status", / · done/);
	expect((await at.run("pi-chronicle report")).code).toBe(0);
	const report = at.project.list(".pi").find((file) => file.endsWith("report.html")) ?? "";
	expect(wordsOf(at.project.read(report))).toContain("through the page (phone, 127.0.0.1)");
}

/** The documents, in the order in which they are followed. */
export const uses: readonly Use[] = [
	readme,
	updating,
	engine,
	operations,
	children,
	guard,
	plan,
	gallery,
	migrate,
	phone,
	sequences,
	rehearsal,
	...sessionUses,
	...outsideUses,
];
