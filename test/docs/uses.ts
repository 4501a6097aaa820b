// Who uses which document for what: the project, the model that does the work, what the prose tells the user beside the lines, and the result that
// the document promises.
import { spawnSync } from "node:child_process";
import { expect } from "vitest";
import { call, type ModelRequest, type Reply, type Script } from "../harness/index.ts";
import { patient } from "../harness/patience.ts";
import { startPostgres } from "../harness/postgres.ts";
import type { DocumentProject } from "./document-project.ts";
import type { Use } from "./follow.ts";

type Part = readonly [marker: RegExp, replies: readonly (Reply | string)[]];

/** A model that plays the first part whose marker is in the request: a reply for each result that it has seen. */
function parts(...list: readonly Part[]): Script {
	return ({ system, users, results }: ModelRequest) => {
		const text = [system, ...users].join("\n");
		const [, replies = []] = list.find(([marker]) => marker.test(text)) ?? [];
		return replies[results.length] ?? "ok";
	};
}

const inState = (name: string, ...words: string[]) => new RegExp([`the state "${name}"`, ...words].join("[^]*"));
const move = (target: string, summary = `On to ${target}.`) =>
	call("workflow_transition", { target_state: target, summary });
const write = (path: string, content = `${path}\n`) => call("write", { path, content });

/** A change of files whose names are known only when it runs. */
const everyFile = (text: string) =>
	call("bash", { command: `for f in $(git ls-files '*.md'); do echo ${text} >> "$f"; done` });

const feature: readonly Part[] = [
	[
		inState("planning"),
		[call("workflow_update_snapshot", { pending_tasks: ["Write greeting.txt"] }), move("building")],
	],
	[inState("building"), [write("greeting.txt", "hello\n"), everyFile("hello"), move("review")]],
	[inState("review"), [call("bash", { command: "cat greeting.txt" }), move("done")]],
];

async function until(at: DocumentProject, command: string, wanted: RegExp): Promise<string> {
	const read = async () => (await at.run(`${command} || true`)).printed;
	let printed = "";
	const look = async () => {
		printed = await read();
		return printed;
	};
	await expect.poll(look, { timeout: patient(40_000), interval: 300 }).toMatch(wanted);
	return printed;
}

/** The first command in a text that is printed for the user and begins so. */
function printedCommand(text: string, verb: string): string {
	const [found] = text.match(new RegExp(`pi-chronicle (?:[^\\n]* )?${verb} [^·\\n]*`)) ?? [];
	if (found === undefined) throw new Error(`No command "${verb}" is printed:\n${text}`);
	return found.trim();
}

const engine: Use = {
	document: "docs/engine.md",
	sections: ["Try it: two hosts on one machine"],
	files: { "README.md": "app\n" },
	script: parts(...feature),
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
	result: async () => {},
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
		[/the state "/, [move("done")]],
	),
	async result({ project }) {
		expect(project.read("month.txt") + project.read("year.txt")).toBe("month.txt\nyear.txt\n");
		expect(project.read("README.md")).toBe("app\nyear\n");
	},
};

const guard: Use = {
	document: "docs/guard.md",
	files: { ".env": "KEY=1\n", "src/a.txt": "a\n", "src/b.txt": "b\n" },
	script: parts(
		[/Clean up/, [call("bash", { command: "git -C . reset --hard" }), call("read", { path: ".env" }), "Refused."]],
		[/Migrate/, []],
	),
	deeds: [
		[/guard init/, async ({ project }) => expect(project.exists(".pi/damage-control-rules.yaml")).toBe(true)],
		[
			/guard rules/,
			async (at) => {
				at.project.write("src/a.txt", "not committed\n");
				const pi = await at.pi();
				await pi.run("Clean up");
				expect(pi.toolResults()).toMatchObject([
					{ tool: "bash", error: true },
					{ tool: "read", error: true },
				]);
				expect(at.project.read("src/a.txt")).toBe("not committed\n");
			},
		],
	],
	result: async () => {},
};

export const uses: readonly Use[] = [engine, children, guard];
