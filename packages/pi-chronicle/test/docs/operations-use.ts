// The part Day 2, as an operator follows it: an engine with a host, a run that waits for its user, and one that no host can begin.
import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { startChild } from "../../src/process/index.ts";
import { call } from "../harness/index.ts";
import { launchPlace } from "../harness/launch.ts";
import { closeLater } from "../harness/lifetime.ts";
import { patient } from "../harness/patience.ts";
import { needsPostgres, startPostgres } from "../harness/postgres.ts";
import type { DocumentProject } from "./document-project.ts";
import type { Use } from "./follow.ts";

const asks = { states: { a: { persona: "A", next: ["done"], requires_approval: true } } };

/** A host of the engine, which the document's lines stop. */
function startHost(at: DocumentProject, args: string): ReturnType<typeof startChild> {
	const place = launchPlace(at.project, { env: at.env });
	const child = startChild({
		command: "bash",
		args: ["-c", `exec pi-chronicle engine worker --approve ${args}`],
		...place,
	});
	child.endInput();
	closeLater(async () => {
		await child.kill();
	});
	return child;
}

/** What the command prints once that is so. It is run again when a run has changed: a process for each look costs more than all the rest. */
async function shown(at: DocumentProject, command: string, wanted: RegExp): Promise<string> {
	let [seen, printed] = ["", ""];
	const read = async () => {
		const now = sql(at, "SELECT count(*), sum(seq), string_agg(status, ',') FROM chronicle.run");
		if (now !== seen) ({ printed } = await at.run(`${command} || true`));
		seen = now;
		return printed;
	};
	await expect.poll(read, { timeout: patient(40_000), interval: 250 }).toMatch(wanted);
	return printed;
}

const start = (at: DocumentProject, task: string) => at.run(`pi-chronicle run asks ${task}`);
const sql = (at: DocumentProject, text: string): string => {
	const done = spawnSync("psql", ["-At", at.env.PI_CHRONICLE_ENGINE ?? "", "-c", text], { encoding: "utf8" });
	if (done.status !== 0) throw new Error(done.stderr);
	return done.stdout.trim();
};

/** Waits until no host is up. Rows of dead ones stay for a day. */
async function untilNoHost(at: DocumentProject): Promise<void> {
	const up = () => sql(at, "SELECT count(*) FROM chronicle.host WHERE beat_at > now() - interval '8 seconds'");
	await expect.poll(up, { timeout: patient(40_000), interval: 500 }).toBe("0");
}

export const operations: Use = {
	document: "docs/engine.md",
	sections: [
		"Look",
		"Runs that do not continue",
		"Back up",
		"Restore",
		"Roles",
		"Retention",
		"Drain a host",
		"Upgrade",
	],
	files: { ".pi/chronicle/workflows/asks.json": asks, "README.md": "app\n" },
	script: () => call("workflow_transition", { target_state: "done", summary: "ok" }),
	needs: needsPostgres,
	env: async () => ({ PI_CHRONICLE_ENGINE: (await startPostgres()).url, PI_CHRONICLE_PROJECT: "app" }),
	stays: / engine worker /,
	fill: { "<run>": "last", "<host>": "first" },
	async before(at) {
		expect((await at.run("pi-chronicle engine init --project app")).code).toBe(0);
		startHost(at, "--name first");
		await start(at, "the first");
		await shown(at, "pi-chronicle status last", /awaiting approval/);
	},
	deeds: [
		[
			/engine status$/,
			async (at, { printed }) => {
				expect(printed).toMatch(/host first .*alive/);
				const [, approve = ""] = /\n +(pi-chronicle [^·\n]*approve \w+)/.exec(printed) ?? [];
				expect((await at.run(approve)).code).toBe(0);
				await shown(at, "pi-chronicle status last", /· done/);
			},
		],
		[
			/engine metrics$/,
			async (_at, { printed }) => expect(printed).toMatch(/chronicle_up\{host="first".*\} 1\n[\s\S]*# EOF\n$/),
		],
		[
			/engine doctor$/,
			async (at) => {
				// What comes next in the document: a run that no host can begin.
				sql(at, "UPDATE chronicle.host SET draining = true");
				await untilNoHost(at);
				const spoiled = startHost(at, "--name spoiled --setup 'exit 7'");
				await start(at, "poison");
				const soon = setInterval(
					() => sql(at, "UPDATE chronicle_jobs.job SET start_after = now() WHERE state = 'retry'"),
					500,
				);
				await shown(
					at,
					"pi-chronicle engine status",
					/paused for .*gave up the run after 5 attempts.*exit code 7/,
				).finally(() => clearInterval(soon));
				await at.run("pi-chronicle engine drain spoiled");
				await spoiled.exited;
				startHost(at, "--name first");
			},
		],
		[/ status last$/, async (_at, { printed }) => expect(printed).toMatch(/gave up the run after 5 attempts/)],
		[/ resume last$/, (at) => shown(at, "pi-chronicle status last", /awaiting approval/).then(() => {})],
		[/ abort last /, (at) => shown(at, "pi-chronicle status last", /aborted/).then(() => {})],
		[
			/^pg_dump /,
			async (at) => {
				await start(at, "newer");
				await shown(at, "pi-chronicle status last", /awaiting approval/);
			},
		],
		[
			/^git clone --quiet --mirror/,
			async (at) => {
				sql(at, "UPDATE chronicle.host SET draining = true");
				await untilNoHost(at);
				sql(at, "DROP SCHEMA chronicle CASCADE; DROP SCHEMA chronicle_jobs CASCADE");
				const remote = at.project.git("remote", "get-url", "origin").trim();
				rmSync(join(remote, "refs", "chronicle"), { recursive: true, force: true });
			},
		],
		[
			/^git -C engine.git push/,
			async (at) => {
				startHost(at, "--name first");
				const listed = (await at.run("pi-chronicle list")).printed;
				expect(listed).toMatch(/done/);
				expect(listed).not.toContain("newer");
				// The engine works on: a new run of the restored project is taken.
				await start(at, "after");
				await shown(at, "pi-chronicle status last", /awaiting approval/);
			},
		],
		[
			/init --members host_b$/,
			async (at) => {
				const url = (at.env.PI_CHRONICLE_ENGINE ?? "").replace("postgres@", "host_b@");
				expect((await at.run(`pi-chronicle list --engine ${url}`)).printed).toMatch(/after/);
			},
		],
		[
			/DELETE FROM chronicle.access/,
			async (at) => {
				const url = (at.env.PI_CHRONICLE_ENGINE ?? "").replace("postgres@", "host_b@");
				expect((await at.run(`pi-chronicle list --engine ${url} || true`)).printed).not.toMatch(/after/);
			},
		],
		[
			/^pi-chronicle prune /,
			async (at) => {
				sql(at, "UPDATE chronicle.run SET updated_at = '2020-01-01T00:00:00.000Z' WHERE status = 'done'");
				expect((await at.run("pi-chronicle prune --older-than 30")).code).toBe(0);
				expect(sql(at, "SELECT count(*) FROM chronicle.run WHERE status = 'done'")).toBe("0");
			},
		],
		[/engine drain first$/, untilNoHost],
		[
			/engine worker --name a --approve$/,
			async (at) => {
				expect((await at.run("pi-chronicle approve last")).code).toBe(0);
				await shown(at, "pi-chronicle status last", /· done/);
				expect((await at.run("pi-chronicle engine status")).printed).toMatch(/host a .*alive/);
			},
		],
	],
};
