// What a child on another host has made and no snapshot hands over: its host keeps the folder, and the user and the next worker read of it.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openModelServer } from "../../pi-chronicle/test/harness/index.ts";
import { patient } from "../../pi-chronicle/test/harness/patience.ts";
import { needsPostgres } from "../../pi-chronicle/test/harness/postgres.ts";
import { call } from "../../pi-chronicle/test/harness/reply.ts";
import { move, withTemplates, worker } from "../../pi-chronicle/test/runs/bench.ts";
import { readLeftovers } from "../src/leftovers.ts";
import { eventually, openEngineStage } from "./engine-stage.ts";

const part = (name: string, more: object = {}) => ({
	run: { states: { [name]: { persona: "Builder", next: ["done"], host: ["far"], ...more } } },
	task: `Write ${name}`,
});

const template = {
	states: {
		build: {
			branches: { one: part("one"), two: part("two", { requires_approval: true }) },
			keep: ["dist/**"],
			next: ["check"],
		},
		check: { persona: "Checker", next: ["finished"], host: ["near"] },
	},
};

const makeAll = [
	"head -c 21000000 /dev/zero > new.bin",
	"echo KEY=1 > .env.test",
	"git init -q lib && echo 1 > lib/a",
	"mkdir -p dist out && echo 1 > dist/a && echo 1 > out/b",
	"echo text > text.txt",
].join("; ");

describe("files of a child on another host that a join cannot take over", needsPostgres, () => {
	it("stay there, whether it is joined or dropped, and the run waits and names them until it is removed", {
		timeout: patient(240_000),
	}, async () => {
		const server = await openModelServer({
			'You are the child "one"': [call("bash", { command: makeAll }), move("done", "One is done.")],
			'You are the child "two"': [call("bash", { command: "echo KEY=2 > .env.two" }), move("done", "Two is done.")],
			[worker("check")]: [call("bash", { command: "echo KEY=3 > .env.root" }), move("finished", "Checked.")],
		});
		const files = { ...withTemplates({ t: template }), ".gitignore": ".pi/chronicle/sessions\ndist/\nout/\n" };
		const stage = await openEngineStage(server, { files });
		stage.host("near", {}, ["--labels", "near"]);
		const far = stage.host("far", {}, ["--labels", "far"]);
		const submitted = await stage.cli(["run", "--json", "--model", "scripted/one", "t", "Make files"]);
		expect([submitted.code, submitted.stderr]).toEqual([0, expect.any(String)]);
		const run = (JSON.parse(submitted.stdout) as { id: string }).id;
		const child = async (name: string): Promise<string> => {
			const { rows } = await stage.database.query<{ id: string }>(
				"SELECT id::text FROM chronicle.run WHERE parent = $1 AND child LIKE $2",
				[run, `%"${name}"%`],
			);
			return rows[0]?.id ?? "";
		};
		await stage.until(run, ({ status, holder }) => status === "awaiting_approval" && holder === null);
		const [one, two] = [await child("one"), await child("two")];
		const dropped = await stage.cli(["drop", two]);
		expect([dropped.code, dropped.stderr]).toEqual([0, expect.any(String)]);

		await stage.until(run, ({ status, holder }) => status === "paused" && holder === null);
		const folder = join(far.data, "app", "work", one);
		const shown = await stage.cli(["status", run]);
		expect(shown.stdout).toContain(`kept in ${folder} on the host far`);
		for (const name of ["new.bin (over 20 MB)", ".env.test (secret by its name)", "lib (a repository of its own)"])
			expect(shown.stdout).toContain(name);
		expect(statSync(join(folder, "new.bin")).size).toBe(21_000_000);

		expect((await stage.cli(["resume", run])).code).toBe(0);
		await stage.until(run, ({ status, holder }) => status === "done" && holder === null);
		const told = server.requests.find(({ users }) => users[0]?.includes('state "check"'))?.users[0] ?? "";
		for (const text of [
			folder,
			join(far.data, "app", "work", two),
			".env.two",
			"ignored, not joined: out/ (1 file, 2 B)",
		])
			expect(told).toContain(text);
		expect(told).not.toContain("dist/ (");
		const last = await stage.cli(["status", run]);
		expect(last.stdout).toMatch(
			/Not in the branch, kept in \S+ on the host near: .*\.env\.root \(secret by its name\)/,
		);
		expect(last.stdout).toContain(folder);
		expect(last.stdout).toContain(join(far.data, "app", "work", two));
		const names = () =>
			spawnSync("git", ["--git-dir", stage.remote, "ls-tree", "-r", "--name-only", `refs/heads/chronicle/${run}`], {
				encoding: "utf8",
			}).stdout.split("\n");
		const joined = await eventually(names, (found) => found.includes("text.txt"));
		expect(joined).toEqual(expect.arrayContaining(["dist/a", "text.txt", ".pi/chronicle/workflows/t.json"]));
		expect(joined.filter((name) => /new\.bin|\.env|^lib|^out/.test(name))).toEqual([]);
		for (const name of ["new.bin", ".env.test", "lib/a", "out/b"]) expect(existsSync(join(folder, name))).toBe(true);

		expect((await stage.cli(["remove", run])).code).toBe(0);
		far.child.kill();
		await far.child.exited;
		const again = stage.host("far", {}, ["--labels", "far"]);
		const work = () => readdirSync(join(again.data, "app", "work"));
		expect(await eventually(work, (found) => found.length === 0)).toEqual([]);
	});
});

describe("what a row says of files on other hosts", () => {
	it.each([
		["nothing", {}, []],
		[
			"another form",
			{ a: 1, b: "x", c: { host: "h" }, d: { host: 1, path: "/p", files: [{ path: "f", why: "w" }] } },
			[],
		],
		["no files", { a: { host: "h", path: "/p", files: [], ignored: "i" } }, []],
		["files", { a: { host: "h", path: "/p", files: [{ path: "f", why: "w", more: 1 }, 7] } }, ["/p on the host h"]],
	])("is read as far as it has the form: %s", (_, noted, folders) => {
		const read = readLeftovers("id", noted);
		expect(read.folders.map(({ path }) => path)).toEqual(folders);
		for (const { files } of read.folders) expect(files).toEqual([{ path: "f", why: "w" }]);
	});
});
