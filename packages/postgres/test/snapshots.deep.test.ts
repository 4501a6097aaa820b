// Snapshots of a run on an engine: recorded in the database with the events that name them, pushed to the remote after that, and taken from
// either by the next host. Hosts are objects in this process, with folders of their own; the remote refuses pushes where a test wants it to.
import { spawnSync } from "node:child_process";
import { randomBytes, randomUUID } from "node:crypto";
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { CheckedOut } from "@pi-chronicle/core/snapshot";
import * as fc from "fast-check";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Checkout } from "../../pi-chronicle/src/local/remote/checkout.ts";
import { openSharedWorkspace } from "../../pi-chronicle/src/local/remote/index.ts";
import { openLookingWorkspace } from "../../pi-chronicle/src/local/remote/shared-workspace.ts";
import { openFolder } from "../../pi-chronicle/test/harness/folder.ts";
import { patient } from "../../pi-chronicle/test/harness/patience.ts";
import { needsPostgres } from "../../pi-chronicle/test/harness/postgres.ts";
import { runs, seed } from "../../pi-chronicle/test/harness/runs.ts";
import { created, value } from "../../pi-chronicle/test/local/ledger/sample-events.ts";
import { value as files } from "../../pi-chronicle/test/local/workspace/stage.ts";
import type { PostgresLedger } from "../src/held.ts";
import type { Database } from "../src/index.ts";
import { publishSegment } from "../src/publishing.ts";
import { readSnapshots } from "../src/snapshot-rows.ts";
import { openEngine, storeOf } from "./open-engine.ts";

let database: Database;
/** More than what is recorded. */
const large = 2_500_000;

function git(cwd: string, ...args: string[]): string {
	const person = ["-c", "user.name=P", "-c", "user.email=p@x"];
	const ran = spawnSync("git", [...person, ...args], { cwd, encoding: "utf8" });
	if (ran.status !== 0) throw new Error(`git ${args.join(" ")}: ${ran.stderr}`);
	return ran.stdout.trim();
}

/** The remote of a project with one commit. */
function openRemote() {
	const folder = openFolder({ "a.txt": "a\n", "folder/b.txt": "b\n", ".gitignore": "ignored\n" });
	const remote = join(openFolder(), "remote.git");
	git(folder, "init", "-q", "-b", "main");
	git(folder, "add", ".");
	git(folder, "commit", "-q", "-m", "first");
	git(folder, "clone", "-q", "--bare", folder, remote);
	const hook = join(remote, "hooks", "pre-receive");
	const trees = (run: string) => git(remote, "for-each-ref", "--format=%(refname)", `refs/chronicle/${run}/trees`);
	return {
		folder,
		remote,
		refuse() {
			writeFileSync(hook, "#!/bin/sh\nexit 1\n");
			chmodSync(hook, 0o755);
		},
		accept: () => rmSync(hook, { force: true }),
		/** Names of the snapshots that are there. */
		trees: (run: string): string[] =>
			trees(run)
				.split("\n")
				.filter(Boolean)
				.map((ref) => ref.split("/").at(-1) ?? ""),
		/** The files of a snapshot, as far as all of them are there. */
		list: (run: string, tree: string): string => {
			git(remote, "rev-list", "--objects", `refs/chronicle/${run}/trees/${tree}`);
			return git(remote, "ls-tree", "-r", tree);
		},
	};
}

type Remote = ReturnType<typeof openRemote>;

/** Where a host works on a run, and its part of the ledger. */
interface Place {
	readonly cwd: string;
	readonly ledger: PostgresLedger;
	readonly workspace: ReturnType<typeof openSharedWorkspace>;
	readonly publishing: ReturnType<typeof publishSegment>;
	write(path: string, content: string | Buffer): void;
}

const store = () => storeOf(database, "held", { folderOf: (run) => join(openFolder(), run) });

function placeOf(ledger: PostgresLedger, workspace: Place["workspace"], cwd: string): Place {
	const publishing = publishSegment(
		ledger,
		workspace,
		{ keep: async () => ({ ok: true, value: [] }), note: async () => undefined },
		() => {},
	);
	ledger.use(publishing.hooks);
	const write = (path: string, content: string | Buffer): void => {
		mkdirSync(dirname(join(cwd, path)), { recursive: true });
		writeFileSync(join(cwd, path), content);
	};
	return { cwd, ledger, workspace, publishing, write };
}

/** A run whose first files are on the remote, as after its submission, and held by a first host. */
async function begin({ remote, folder }: Remote): Promise<Place> {
	const { id } = value(await store().create(created({ id: randomUUID() }))).run;
	const run = await take(id);
	const workspace = openSharedWorkspace({ run: id, remote, cwd: folder, folder: run.folder, leftOut: [] });
	const { tree } = await files(workspace.snapshot());
	await database.query("UPDATE chronicle.run SET head = $2 WHERE id = $1", [id, tree]);
	return placeOf(run, workspace, folder);
}

/** Takes the run from the host that has it. */
async function take(id: string): Promise<PostgresLedger> {
	await database.query("UPDATE chronicle.run SET holder = NULL WHERE id = $1", [id]);
	return value(await store().open(id));
}

/** Another host continues the run, with nothing but the database and the remote. */
async function inherit({ remote }: Remote, id: string, checkedOut?: CheckedOut): Promise<Place> {
	const ledger = await take(id);
	const checkout = new Checkout({ data: openFolder(), remote });
	await checkout.publishRecorded(ledger, id);
	const head = ledger.earlier.head ?? "";
	const base = await checkout.fetchRun(id, id, head, undefined);
	await checkout.reset(id, base);
	const cwd = checkout.workOf(id);
	const published = { tree: head, parent: base.parent };
	const workspace = openSharedWorkspace({
		run: id,
		remote,
		cwd,
		folder: checkout.folderOf(id),
		leftOut: [],
		published,
		checkedOut,
	});
	await files(workspace.restore(head));
	return placeOf(ledger, workspace, cwd);
}

const append = (ledger: PostgresLedger) => ledger.append([{ kind: "noted", text: "n" }], "soon");
const waiting = async (id: string) => (await readSnapshots(database, id)).map(({ tree, seq }) => ({ tree, seq }));
const headOf = async (id: string) =>
	(await database.query<{ head: string }>("SELECT head FROM chronicle.run WHERE id = $1", [id])).rows[0]?.head;

describe("the snapshots of a run on an engine", needsPostgres, () => {
	beforeAll(async () => {
		({ database } = await openEngine());
	});
	beforeEach(async () => {
		await database.query("DELETE FROM chronicle.run");
	});

	it("are recorded with the next events, and pushed after that", async () => {
		const remote = openRemote();
		const { ledger, workspace, publishing, write } = await begin(remote);
		const { id } = ledger.run;
		remote.refuse();
		write("a.txt", "changed\n");
		const { tree } = await files(workspace.snapshot());
		expect(await waiting(id)).toEqual([]);
		value(await append(ledger));
		expect(await waiting(id)).toEqual([{ tree, seq: 2 }]);
		expect(await headOf(id)).toBe(tree);
		expect(remote.trees(id)).not.toContain(tree);
		expect(await publishing.settle()).toBe(undefined);
		expect(await waiting(id)).toEqual([{ tree, seq: 2 }]);
		remote.accept();
		expect(await publishing.settle()).toMatchObject({ tree });
		expect(remote.list(id, tree)).toContain("folder/b.txt");
		expect(await waiting(id)).toEqual([]);
		// The same files again are neither recorded nor pushed.
		remote.refuse();
		await files(workspace.snapshot());
		value(await append(ledger));
		expect(await publishing.settle()).toMatchObject({ tree });
		expect(await waiting(id)).toEqual([]);
	});

	it("are pushed first if they are large, and nothing that depends on them is recorded if that fails", async () => {
		const remote = openRemote();
		const { ledger, workspace, write } = await begin(remote);
		const { id } = ledger.run;
		const before = await headOf(id);
		remote.refuse();
		write("large", randomBytes(large));
		expect(await workspace.snapshot()).toMatchObject({ ok: false, failure: { reason: "io" } });
		const measured = { kind: "files_measured", visit: 1, purpose: "baseline", tree: before ?? "" } as const;
		expect(await ledger.append([measured], "durable")).toMatchObject({ ok: false, failure: { reason: "io" } });
		expect(await headOf(id)).toBe(before);
		remote.accept();
		const { tree } = await files(workspace.snapshot());
		value(await append(ledger));
		expect(await headOf(id)).toBe(tree);
		expect(await waiting(id)).toEqual([]);
		expect(remote.list(id, tree)).toContain("large");
	});

	it("continue on another host as they were recorded, with the commits that a worker has made", async () => {
		const remote = openRemote();
		const first = await begin(remote);
		const { id } = first.ledger.run;
		remote.refuse();
		first.write("folder/c.txt", "c\n");
		await files(first.workspace.snapshot());
		value(await append(first.ledger));
		git(first.cwd, "add", ".");
		git(first.cwd, "commit", "-q", "-m", "by the worker");
		// The files are the same on another commit.
		await files(first.workspace.snapshot());
		value(await append(first.ledger));
		git(first.cwd, "commit", "-q", "--amend", "-m", "by the worker, again");
		rmSync(join(first.cwd, "a.txt"));
		await files(first.workspace.snapshot());
		value(await append(first.ledger));
		first.write("lost.txt", "It is in no event.\n");
		await files(first.workspace.snapshot());
		expect((await waiting(id)).map(({ seq }) => seq)).toEqual([2, 3, 4]);
		remote.accept();
		const second = await inherit(remote, id);
		expect(git(second.cwd, "status", "--porcelain")).toBe("D a.txt");
		expect(git(second.cwd, "log", "-1", "--format=%s")).toBe("by the worker, again");
		expect(readFileSync(join(second.cwd, "folder/c.txt"), "utf8")).toBe("c\n");
		expect(await waiting(id)).toEqual([]);
		// The first host has lost the run: what it records from now on counts for nothing.
		expect(await append(first.ledger)).toMatchObject({ ok: false, failure: { reason: "fenced" } });
		expect(await waiting(id)).toEqual([]);
	});

	it("are on the branch that was recorded, if another host continues that or a commit on top of it", async () => {
		const remote = openRemote();
		const { ledger, cwd, workspace, publishing, write } = await begin(remote);
		const recorded = await workspace.checkedOut?.();
		const first = git(cwd, "rev-parse", "HEAD");
		expect(recorded).toEqual({ branch: "main", commit: first });
		write("c.txt", "c\n");
		git(cwd, "add", ".");
		git(cwd, "commit", "-q", "-m", "by the worker");
		const second = git(cwd, "rev-parse", "HEAD");
		await files(workspace.snapshot());
		value(await append(ledger));
		await publishing.settle();
		const there = await inherit(remote, ledger.run.id, recorded);
		expect(git(there.cwd, "branch", "--show-current")).toBe("");
		expect(await there.workspace.checkedOut?.()).toEqual({ branch: "main", commit: second });
		git(there.cwd, "checkout", "-q", first);
		expect(await there.workspace.checkedOut?.()).toEqual({ branch: "main", commit: first });
		// No continuation of what was recorded.
		const odd = git(there.cwd, "commit-tree", `${first}^{tree}`, "-m", "of others");
		git(there.cwd, "checkout", "-q", odd);
		expect(await there.workspace.checkedOut?.()).toEqual({ branch: null, commit: odd });
		git(there.cwd, "checkout", "-q", "-b", "other");
		expect(await there.workspace.checkedOut?.()).toEqual({ branch: "other", commit: odd });
	});

	it("are shown before they are pushed", async () => {
		const remote = openRemote();
		const { ledger, workspace, write } = await begin(remote);
		const { id } = ledger.run;
		const before = (await headOf(id)) ?? "";
		remote.refuse();
		write("new.txt", "new\n");
		const { tree } = await files(workspace.snapshot());
		value(await append(ledger));
		const cwd = openFolder();
		git(cwd, "clone", "-q", remote.remote, ".");
		const options = {
			...{ run: id, remote: remote.remote, cwd, folder: openFolder(), leftOut: [] },
			recorded: () => readSnapshots(database, id),
		};
		const { changes } = await files(openLookingWorkspace(options, tree).changes(before, tree, 9));
		expect(changes.map(({ path }) => path)).toEqual(["new.txt"]);
	});

	it("outlive any series of changes, outages and deaths of hosts", { timeout: patient(120_000) }, async () => {
		const step = fc.oneof(
			fc.record({ kind: fc.constant("write" as const), name: fc.nat(3), text: fc.nat(3) }),
			fc.record({ kind: fc.constantFrom("remove", "commit", "amend", "grow", "refuse", "accept", "record", "die") }),
		);
		await fc.assert(
			fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 14 }), async (steps) => {
				const remote = openRemote();
				let place = await begin(remote);
				const { id } = place.ledger.run;
				const recorded = new Map<string, string>();
				const inherited = async (): Promise<void> => {
					remote.accept();
					place = await inherit(remote, id);
				};
				const acts: Readonly<Record<string, () => unknown>> = {
					remove: () => rmSync(join(place.cwd, "file 1"), { force: true }),
					commit: () => git(place.cwd, "add", ".") + git(place.cwd, "commit", "-q", "--allow-empty", "-m", "c"),
					amend: () => git(place.cwd, "commit", "-q", "--amend", "--allow-empty", "-m", "d"),
					grow: () => place.write("large", randomBytes(large)),
					...{ refuse: remote.refuse, accept: remote.accept },
					async record() {
						const taken = await place.workspace.snapshot();
						// What could not be published ends the supervision.
						if (!taken.ok) return inherited();
						value(await append(place.ledger));
						recorded.set(taken.value.tree, listing(place.cwd));
						expect(await headOf(id)).toBe(taken.value.tree);
					},
					async die() {
						const wanted = recorded.get((await headOf(id)) ?? "");
						await inherited();
						if (wanted !== undefined) expect(listing(place.cwd)).toBe(wanted);
					},
				};
				for (const one of steps) {
					if ("name" in one) place.write(`file ${one.name}`, String(one.text));
					else await acts[one.kind]?.();
				}
				await inherited();
				for (const tree of recorded.keys()) remote.list(id, tree);
				expect(await waiting(id)).toEqual([]);
			}),
			{ seed, numRuns: runs(0.03), endOnFailure: true },
		);
	});
});

/** The files of a folder with the names of their contents. */
function listing(cwd: string): string {
	const paths = git(cwd, "ls-files", "--cached", "--others", "--exclude-standard").split("\n");
	const there = [...new Set(paths)].filter((path) => spawnSync("test", ["-e", join(cwd, path)]).status === 0);
	return there.map((path) => `${path} ${git(cwd, "hash-object", path)}`).join("\n");
}
