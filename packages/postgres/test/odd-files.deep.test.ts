// Files with which a submitter, or anyone who can write to the remote, could lead a host out of the run's folder.
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { treeRef } from "../../pi-chronicle/src/local/remote/run-snapshot.ts";
import { patient } from "../../pi-chronicle/test/harness/patience.ts";
import { needsPostgres } from "../../pi-chronicle/test/harness/postgres.ts";
import { created, value } from "../../pi-chronicle/test/local/ledger/sample-events.ts";
import { moveTo } from "../../pi-chronicle/test/local/supervisor/scripted-launcher.ts";
import { type HostStage, openHostStage } from "./host-stage.ts";
import { storeOf } from "./open-engine.ts";

/** An entry of a git tree, of which git itself would make only some. */
interface Entry {
	readonly mode: string;
	readonly name: string;
	readonly object: string;
}

const idOf = (n: number): string => `aaaaaaaa-0000-4000-8000-${String(n).padStart(12, "0")}`;

/** Makes objects of git that git itself would not make, and snapshots of them. */
function openMaker({ root, remote, git }: HostStage) {
	const cwd = join(root, "project");
	const write = (type: string, content: string | Buffer): string => {
		const args = ["hash-object", "-w", "-t", type, "--literally", "--stdin"];
		const done = spawnSync("git", args, { cwd, input: content });
		if (done.status !== 0) throw new Error(done.stderr.toString());
		return done.stdout.toString().trim();
	};
	const tree = (...entries: readonly Entry[]): string => {
		const bytes = entries.map(({ mode, name, object }) =>
			Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(object, "hex")]),
		);
		return write("tree", Buffer.concat(bytes));
	};
	/** Puts a snapshot where the hosts look for it, although git would refuse to push it. */
	const put = (run: string, files: string, message: string): void => {
		const parent = git("rev-parse", "HEAD");
		const person = "t <t@localhost> 1577836800 +0000";
		const commit = write(
			"commit",
			`tree ${files}\nparent ${parent}\nauthor ${person}\ncommitter ${person}\n\n${message}`,
		);
		const objects = join(cwd, ".git", "objects");
		spawnSync("cp", ["-r", "-n", `${objects}/.`, join(remote, "objects")]);
		const done = spawnSync("git", ["--git-dir", remote, "update-ref", treeRef(run, files), commit]);
		if (done.status !== 0) throw new Error(done.stderr.toString());
	};
	return { blob: (text: string | Buffer) => write("blob", text), tree, put };
}

type Maker = ReturnType<typeof openMaker>;

interface Odd {
	readonly what: string;
	readonly folder?: string;
	/** The note in the message of its commit. */
	readonly note?: string;
	/** Why the host cannot begin the run; absent: it does it. */
	readonly waits?: string;
	files(maker: Maker, outside: string): string;
}

const link = (maker: Maker, to: string, name = "sub"): Entry => ({ mode: "120000", name, object: maker.blob(to) });
const file = (maker: Maker, name: string, text = "evil"): Entry => ({ mode: "100644", name, object: maker.blob(text) });

const folder = (name: string, object: string): Entry => ({ mode: "40000", name, object });

const odd: readonly Odd[] = [
	{
		...{ what: "a link in place of the run's folder", folder: "sub", waits: "is not inside its working folder" },
		files: (m, outside) => m.tree(link(m, outside)),
	},
	{
		...{ what: "a relative link instead of it", folder: "sub", waits: "is not inside its working folder" },
		files: (m) => m.tree(link(m, "../../../../../outside")),
	},
	{ what: "a link above it", folder: "sub/deep", files: (m, outside) => m.tree(link(m, outside)) },
	{
		what: "a link and a folder of one name",
		files: (m, outside) => m.tree(link(m, outside), folder("sub", m.tree(file(m, "mine.txt")))),
	},
	{ what: "a file in `..`", files: (m) => m.tree(folder("..", m.tree(file(m, "evil.txt")))) },
	{ what: "a name with slashes", files: (m) => m.tree(file(m, "../../../../../outside/evil.txt")) },
	{ what: "settings in `.git`", files: (m) => m.tree(folder(".git", m.tree(file(m, "config")))) },
	{ what: "settings in `.GIT`", files: (m) => m.tree(folder(".GIT", m.tree(file(m, "config")))) },
	{
		...{ what: "a submodule instead of it", folder: "sub" },
		files: (m) => m.tree({ mode: "160000", name: "sub", object: "1".repeat(40) }),
	},
	{
		...{ what: "a file that is a tree", waits: "could not be restored" },
		files: (m) => m.tree({ mode: "100644", name: "x", object: m.tree() }),
	},
	{ what: "a mode that git does not know", files: (m) => m.tree({ ...file(m, "x"), mode: "777777" }) },
	{ what: "one name twice", files: (m) => m.tree(file(m, "x"), file(m, "x", "other")) },
	{
		...{ what: "permissions of files elsewhere", note: '{"modes":[["../../../../../outside/mine.txt",511]]}' },
		files: (m) => m.tree(file(m, "x")),
	},
	{
		...{ what: "a long message", note: `{"folder":"${"a/".repeat(10_000_000)}"}` },
		files: (m) => m.tree(file(m, "x")),
	},
];

const definition = { name: "T", states: { a: { persona: "A", next: ["done"] } } };

describe("a host", needsPostgres, () => {
	it("changes nothing outside the folders of runs with odd files, and does the runs that it can", {
		timeout: patient(120_000),
	}, async () => {
		const stage = await openHostStage();
		const outside = join(stage.root, "outside");
		mkdirSync(outside);
		writeFileSync(join(outside, "mine.txt"), "mine", { mode: 0o600 });
		// As the folder of another run is.
		spawnSync("git", ["init", "-q"], { cwd: outside });
		const maker = openMaker(stage);
		const parent = stage.git("rev-parse", "HEAD");
		for (const [n, { files, note = "{}", folder: place = "" }] of odd.entries()) {
			const run = idOf(n + 1);
			const head = files(maker, outside);
			maker.put(run, head, `Files\n\n${note}\n`);
			const store = storeOf(stage.database, "submitted", {
				creates: { kind: "submitted", base: async () => ({ ok: true, value: { head, parent, folder: place } }) },
			});
			value(await store.create(created({ id: run, definition })));
		}
		await stage.submit(99);
		const host = await stage.host("a", {
			play: () => (ports, given, ended) => {
				writeFileSync(join(given.cwd, "by-worker.txt"), given.cwd);
				return moveTo("done")(ports, given, ended);
			},
		});
		const stuck = odd.flatMap(({ waits }, n) => (waits === undefined ? [] : [{ id: idOf(n + 1), waits }]));
		const text = "SELECT id::text, waits FROM chronicle.run WHERE status <> 'done' AND waits IS NOT NULL ORDER BY id";
		const left = async () => (await stage.database.query<{ id: string; waits: string }>(text)).rows;
		await expect
			.poll(left, { timeout: patient(60_000) })
			.toEqual(stuck.map(({ id, waits }) => ({ id, waits: expect.stringContaining(waits) })));
		const open = async () => (await stage.database.query("SELECT FROM chronicle.run WHERE status <> 'done'")).count;
		await expect.poll(open, { timeout: patient(60_000) }).toBe(stuck.length);
		expect(readdirSync(outside).sort()).toEqual([".git", "mine.txt"]);
		expect(readFileSync(join(outside, "mine.txt"), "utf8")).toBe("mine");
		expect(statSync(join(outside, "mine.txt")).mode & 0o777).toBe(0o600);
		await host.stop();
	});
});
