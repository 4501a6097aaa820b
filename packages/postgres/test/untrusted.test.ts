// What others have written into the git remote and the database reaches no path, no git command and no other run.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { parsePost } from "../../pi-chronicle/src/local/ledger/index.ts";
import { Checkout } from "../../pi-chronicle/src/local/remote/checkout.ts";
import { writeConversations } from "../../pi-chronicle/src/local/remote/conversations.ts";
import { noteText, treeRef } from "../../pi-chronicle/src/local/remote/run-snapshot.ts";
import { openSharedWorkspace } from "../../pi-chronicle/src/local/remote/shared-workspace.ts";
import {
	folderIn,
	isBranchName,
	isFolderBelow,
	isObjectName,
	parseNote,
} from "../../pi-chronicle/src/local/remote/untrusted.ts";
import { filesOf } from "../../pi-chronicle/src/local/worker/start-process.ts";
import { childFolderName } from "../../pi-chronicle/src/local/workspace/index.ts";
import { deepDescribe } from "../../pi-chronicle/test/harness/deep-it.ts";
import { openFolder } from "../../pi-chronicle/test/harness/folder.ts";
import { patient } from "../../pi-chronicle/test/harness/patience.ts";
import { needsPostgres } from "../../pi-chronicle/test/harness/postgres.ts";
import { id } from "../../pi-chronicle/test/local/ledger/sample-events.ts";
import { moveTo } from "../../pi-chronicle/test/local/supervisor/scripted-launcher.ts";
import { parseEvent, parseStoredRun, runOfJob } from "../src/untrusted.ts";
import { openHostStage } from "./host-stage.ts";

const oid = "a".repeat(40);

describe("a parser", () => {
	const outside = [
		"..",
		"../x",
		"a/../../x",
		"/etc",
		"/",
		"./a",
		"a//b",
		"a/",
		"a/./b",
		"a\\..\\b",
		"a\0b",
		".git",
		"a/.GIT/hooks",
	];
	it.each(outside)("takes %j for no folder inside the working folder", (folder) => {
		expect(isFolderBelow(folder)).toBe(false);
		expect(parseNote(noteText("run", { folder, placeholders: [] }))).toBe(undefined);
		expect(() => folderIn("/srv/work", folder)).toThrow("is not inside its working folder");
	});
	it("takes the folders of a repository", () => {
		for (const folder of ["", "a", "a/b", "packages/ü x", "..a", ".github", "a..b"])
			expect(isFolderBelow(folder)).toBe(true);
	});
	it("takes no folder that a link leads out of", () => {
		const root = openFolder();
		mkdirSync(join(root, "work"));
		symlinkSync(root, join(root, "work", "link"));
		expect(() => folderIn(join(root, "work"), "link/x")).toThrow("is not inside");
		expect(folderIn(join(root, "work"), "other/x")).toBe(join(root, "work", "other/x"));
	});
	it.each<[string, (text: string) => unknown, readonly unknown[]]>([
		[
			"objects",
			isObjectName as never,
			["", "HEAD", "--output=/x", `${oid}^{commit}`, oid.slice(1), oid.toUpperCase(), 7, null],
		],
		[
			"branches",
			isBranchName,
			["", "-x", "a:refs/heads/main", "*", "a..b", "a b", "a\nb", "a~1", "a^", "x.lock", "a/", "@{1}"],
		],
		["events", parseEvent, ["", "{", "null", "[]", "{}", '{"seq":"1","at":"x","kind":"told"}', '{"seq":1,"at":"x"}']],
		[
			"stored runs",
			(text) => parseStoredRun(text, id),
			["", "{", "null", "[]", "{}", `{"id":"${id}"}`, '{"id":"../x","seq":1}'],
		],
		[
			"notes",
			(text) => parseNote(`a\n\n${text}`),
			[
				"{",
				"null",
				"[]",
				'{"folder":1}',
				'{"placeholders":["x y z"]}',
				'{"placeholders":"x"}',
				'{"modes":[["a"]]}',
				'{"modes":[["a",0]]}',
				'{"modes":[["a",2048]]}',
			],
		],
		[
			"commands",
			(text) => "event" in parsePost(text),
			[
				...["", "null", "[]", "{}", '{"kind":"told"}', '{"kind":"told","text":7}', '{"kind":"moved","to":"done"}'],
				...['{"kind":"constructor"}', '{"kind":"rejected","answers":7}', '{"kind":"child_signaled","child":7}'],
				// It would keep the answer to this question out.
				'{"kind":"told","text":"x","answers":7}',
			],
		],
		["jobs", runOfJob as never, [null, undefined, 1, {}, { run: 7 }, { run: "../x" }, { run: `${id}'; DROP TABLE x` }]],
	])("takes nothing else for %s", (_, parse, inputs) => {
		for (const input of inputs) expect(parse(input as string) || undefined, JSON.stringify(input)).toBe(undefined);
	});
});

/** A repository that anybody may push to, with a snapshot of a run. */
function openRemote() {
	const root = openFolder();
	const remote = join(root, "remote.git");
	const cwd = join(root, "project");
	mkdirSync(cwd);
	const git = (args: readonly string[], input?: string | Buffer): string => {
		const who = ["-c", "user.name=t", "-c", "user.email=pi-chronicle@localhost"];
		const done = spawnSync("git", [...who, ...args], { cwd, ...(input === undefined ? {} : { input }) });
		if (done.status !== 0) throw new Error(done.stderr.toString());
		return done.stdout.toString().trim();
	};
	git(["init", "-q", "--bare", remote]);
	git(["init", "-q"]);
	writeFileSync(join(cwd, "file.txt"), "one\n");
	git(["add", "-A"]);
	git(["commit", "-q", "-m", "first"]);
	const parent = git(["rev-parse", "HEAD"]);
	const tree = git(["rev-parse", "HEAD^{tree}"]);
	const push = (message: string, { files = tree, parents = [parent] } = {}): void => {
		const commit = git(["commit-tree", files, ...parents.flatMap((one) => ["-p", one]), "-m", message]);
		git(["push", "-q", "-f", remote, `${commit}:${treeRef(id, tree)}`]);
	};
	return { root, remote, git, push, parent, tree, checkout: new Checkout({ data: join(root, "host"), remote }) };
}

describe("a snapshot on the remote", () => {
	it.each(["../../../outside", "link", "/etc"])(
		"whose commit names the folder %s ends the claim, or is not read",
		async (folder) => {
			const { root, push, git, parent, tree, checkout } = openRemote();
			const outside = join(root, "outside");
			mkdirSync(outside);
			writeFileSync(join(outside, "mine.txt"), "mine");
			const linked = git(["mktree"], `120000 blob ${git(["hash-object", "-w", "--stdin"], outside)}\tlink\n`);
			const at = folder === "link" ? git(["commit-tree", linked, "-m", "x"]) : parent;
			push(noteText(id, { folder, placeholders: [] }), { parents: [at] });
			const unbound = checkout.fetchRun(id, id, tree, undefined).then((base) => checkout.reset(id, base));
			await expect(unbound).rejects.toThrow(/is not inside its working folder|does not say where/);
			// Where the database says it, the commit is not asked.
			const bound = await checkout.fetchRun(id, id, tree, { folder: "sub", parent: at });
			expect(bound).toMatchObject({ parent: at, note: { folder: "sub" } });
			await checkout.reset(id, bound);
			expect(readdirSync(outside)).toEqual(["mine.txt"]);
			expect(existsSync(join(checkout.workOf(id), "sub"))).toBe(true);
		},
	);

	it("that has other files, an unknown parent, or no ref, ends the claim", async () => {
		const { push, git, parent, tree, remote, checkout } = openRemote();
		push(noteText(id, { folder: "", placeholders: [] }), { files: git(["mktree"], "") });
		const place = { folder: "", parent };
		await expect(checkout.fetchRun(id, id, tree, place)).rejects.toThrow("other files than were recorded");
		push(noteText(id, { folder: "", placeholders: [] }));
		await expect(checkout.fetchRun(id, id, tree, { folder: "", parent: oid })).rejects.toThrow("is not on the remote");
		expect(await checkout.fetchRun(id, id, tree, place)).toMatchObject({ parent });
		git(["push", "-q", remote, `:${treeRef(id, tree)}`]);
		await expect(checkout.fetchRun(id, id, tree, place)).rejects.toThrow("could not be fetched");
	});

	it("is fetched although a branch was deleted whose name is now a folder of branches", async () => {
		const { remote, push, git, parent, tree, checkout } = openRemote();
		push(noteText(id, { folder: "", placeholders: [] }));
		const place = { folder: "", parent };
		git(["push", "-q", remote, `${parent}:refs/heads/topic`]);
		await checkout.fetchRun(id, id, tree, place);
		git(["push", "-q", remote, ":refs/heads/topic", `${parent}:refs/heads/topic/one`]);
		expect(await checkout.fetchRun(id, id, tree, place)).toMatchObject({ parent });
	});

	it("cannot declare that the contents of a file are not kept", async () => {
		const { push, git, parent, tree, checkout } = openRemote();
		const file = git(["rev-parse", "HEAD:file.txt"]);
		push(noteText(id, { folder: "", placeholders: [file, oid, `${file} secret`] }));
		await checkout.reset(id, await checkout.fetchRun(id, id, tree, { folder: "", parent }));
		expect(existsSync(join(checkout.folderOf(id), "files", "large"))).toBe(false);
	});

	it("has no conversations but those that the database names, in no other folder", async () => {
		const { root, git } = openRemote();
		const text = git(["hash-object", "-w", "--stdin"], "evil");
		const entry = (name: string): Buffer => Buffer.concat([Buffer.from(`100644 ${name}\0`), Buffer.from(text, "hex")]);
		// git's own commands make no such tree.
		const names = ["../../evil", "1.1.jsonl", "evil.jsonl"].sort();
		const tree = git(["hash-object", "-w", "-t", "tree", "--literally", "--stdin"], Buffer.concat(names.map(entry)));
		const forged = git(["commit-tree", tree, "-m", "forged"]);
		git(["update-ref", `refs/chronicle/${id}/conversations/9`, forged]);
		const place = { gitDir: join(root, "project", ".git"), cwd: root };
		const folder = join(root, "host", "runs", id);
		for (const [recorded, found] of [
			["", undefined],
			[oid, undefined],
			[null, ["1.1.jsonl"]],
			[forged, ["1.1.jsonl"]],
		] as const) {
			await writeConversations(place, { run: id, recorded }, folder);
			const workers = join(folder, "workers");
			expect(existsSync(workers) ? readdirSync(workers) : undefined).toEqual(found);
		}
		expect(existsSync(join(dirname(folder), "evil"))).toBe(false);
	});
});

describe("an event", () => {
	it("names no option of git, no folder of a child elsewhere, and no conversation elsewhere", async () => {
		const { root, git, tree } = openRemote();
		const cwd = join(root, "project");
		const folder = join(root, "runs", id);
		const files = openSharedWorkspace({ run: id, remote: join(root, "remote.git"), cwd, folder, leftOut: [] });
		expect(await files.snapshot()).toMatchObject({ ok: true });
		const evil = `--output=${join(root, "evil")}`;
		const asked = [
			files.changes(evil, tree, 10),
			files.changes(tree, evil, 10),
			files.patch(evil, tree, 1000),
			files.preview(evil, 10),
			files.restore(evil),
			files.snapshot({ towards: evil }),
			files.openChild(id, evil, {} as never),
			files.merge({ base: evil, ours: tree, theirs: tree, names: {} as never }),
		];
		for (const refused of asked)
			expect(await refused).toMatchObject({ ok: false, failure: { reason: "unknown_tree" } });
		expect(existsSync(join(root, "evil"))).toBe(false);
		for (const name of ["..", "../x", "a/b", "/etc", "", "."])
			expect(() => childFolderName(name), name).toThrow("does not name");
		for (const key of ["../1.1", "1.1/x", "1", ""]) expect(() => filesOf(folder, key), key).toThrow("does not name");
		expect(git(["status", "--short"])).toBe("");
	});
});

deepDescribe("a host", needsPostgres, () => {
	it("does the runs that it can read, whatever else is in the queue, the tables and the remote", {
		timeout: patient(60_000),
	}, async () => {
		const stage = await openHostStage();
		const { database } = stage;
		const boss = await database.boss();
		for (const data of [{}, { run: "../../x" }, { run: 7 }, null]) await boss.send("app/runs", data as never);
		for (const n of [1, 2, 3, 4]) await stage.submit(n);
		const spoil = (n: number, change: string) =>
			database.query(`UPDATE chronicle.run SET ${change} WHERE id::text LIKE '%' || $1`, [String(n)]);
		await database.query("INSERT INTO chronicle.state SELECT id, 1, '{' FROM chronicle.run WHERE id::text LIKE '%1'");
		await spoil(2, "head = '--upload-pack=touch /tmp/x'");
		await database.query("UPDATE chronicle.event SET body = 'null' WHERE run::text LIKE '%2'");
		await spoil(3, "parent = id, child = '{'");
		for (const [n, change] of [
			[5, "head_parent = 'HEAD'"],
			[6, "conversations = '--all'"],
			[7, "folder = '../../..'"],
			[8, "base = '--output=/tmp/x'"],
		] as const) {
			await stage.submit(n);
			await spoil(n, change);
		}
		// A commit with the same files that leads elsewhere.
		const { rows } = await database.query<{ head: string }>("SELECT head FROM chronicle.run WHERE id::text LIKE '%4'");
		const [{ head } = { head: "" }] = rows;
		const run = "aaaaaaaa-0000-4000-8000-000000000004";
		const note = noteText(run, { folder: "../../../../outside", placeholders: [] });
		mkdirSync(join(stage.root, "outside"));
		writeFileSync(join(stage.root, "outside", "mine.txt"), "mine");
		stage.git("fetch", "-q", stage.remote, treeRef(run, head));
		const forged = stage.git(
			"-c",
			"user.name=t",
			"-c",
			"user.email=t@t",
			"commit-tree",
			head,
			"-p",
			"HEAD",
			"-m",
			note,
		);
		stage.git("push", "-q", "-f", stage.remote, `${forged}:${treeRef(run, head)}`);
		await database.query("UPDATE chronicle.run SET parent = NULL WHERE id::text LIKE '%3'");

		const host = await stage.host("a", { play: () => moveTo("done") });
		const over = async () => (await database.query("SELECT FROM chronicle.run WHERE status = 'done'")).count;
		await expect.poll(over, { timeout: patient(40_000) }).toBe(2);
		expect(readdirSync(join(stage.root, "outside"))).toEqual(["mine.txt"]);
		expect(readFileSync(join(stage.root, "outside", "mine.txt"), "utf8")).toBe("mine");
		expect(host.log.filter((line) => line.includes("names no run"))).toHaveLength(4);
		expect((await stage.store().list()).filter(({ kind }) => kind === "run")).toHaveLength(8);
		for (const n of [1, 2, 5, 6, 7, 8])
			expect(await stage.store().read(`aaaaaaaa-0000-4000-8000-00000000000${n}`)).toMatchObject({
				...{ ok: false, failure: { reason: "corrupt" } },
			});
		await host.stop();
	});
});
