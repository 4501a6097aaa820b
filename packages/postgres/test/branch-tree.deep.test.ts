// The branch of a run, against real git: merging it applies what the run has changed, and changes nothing that its snapshots leave out.
import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync, lstatSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { Checkout } from "../../pi-chronicle/src/local/remote/checkout.ts";
import { openSharedWorkspace, publishStart } from "../../pi-chronicle/src/local/remote/shared-workspace.ts";
import { agentExclusions } from "../../pi-chronicle/src/local/workspace/index.ts";
import { openFolder } from "../../pi-chronicle/test/harness/folder.ts";
import { patient } from "../../pi-chronicle/test/harness/patience.ts";
import { runs, seed } from "../../pi-chronicle/test/harness/runs.ts";
import { clear, gitAuthor, value } from "../../pi-chronicle/test/local/workspace/stage.ts";

type Scope = "folder" | "repository";

/** What a run may do with a path. */
type Rule = "free" | "left out" | "only removed";

function git(cwd: string, ...args: string[]): string {
	const env = { ...process.env, ...gitAuthor };
	const ran = spawnSync("git", ["-c", "protocol.file.allow=always", ...args], { cwd, encoding: "latin1", env });
	if (ran.status !== 0) throw new Error(`git ${args.join(" ")}: ${ran.stderr}`);
	return ran.stdout.trim();
}

/** The project of a user, with its remote, and a run that works on it, in `below`. */
function openStage({ below = "", scope = "folder" }: { below?: string; scope?: Scope } = {}) {
	const root = openFolder();
	const remote = join(openFolder(), "remote.git");
	const cwd = join(root, below);
	const run = randomUUID();
	git(root, "init", "-q", "-b", "main");
	git(root, "init", "-q", "--bare", remote);
	const write = (path: string, text: string): void => {
		clear({ root }, path);
		mkdirSync(dirname(join(root, path)), { recursive: true });
		writeFileSync(join(root, path), text);
	};
	return {
		root,
		remote,
		write,
		remove: (path: string) => rmSync(join(root, path), { recursive: true, force: true }),
		git: (...args: string[]) => git(root, ...args),
		commit(): void {
			git(root, "add", "-f", "-A");
			git(root, "commit", "-q", "--allow-empty", "-m", "by the user");
		},
		/** Publishes the files as they are, as a host does after a state, and gives the entries of the branch by path. */
		async publish(seq = 1): Promise<ReadonlyMap<string, string>> {
			mkdirSync(cwd, { recursive: true });
			const leftOut = [join(cwd, ".pi", "chronicle"), ...agentExclusions(join(root, ".pi", "agent"))];
			const workspace = openSharedWorkspace({ run, remote, cwd, folder: openFolder(), leftOut, scope });
			await value(workspace.snapshot());
			workspace.publisher.moveBranch(seq);
			await value(workspace.publisher.flush());
			return entries(remote, `chronicle/${run}`);
		},
		base: () => entries(root, "HEAD"),
		/** The user merges the branch. */
		merge(): void {
			const folder = openFolder();
			git(root, "push", "-q", remote, "main");
			git(folder, "clone", "-q", "-b", "main", remote, ".");
			git(folder, "merge", "-q", "--no-edit", `origin/chronicle/${run}`);
			git(folder, "push", "-q", "origin", "main");
		},
		merged: () => entries(remote, "main"),
	};
}

type Stage = ReturnType<typeof openStage>;

/** Mode and object of the entries of a commit, by path. */
function entries(repository: string, commit: string): ReadonlyMap<string, string> {
	const lines = git(repository, "ls-tree", "-r", "-z", "--full-tree", commit).split("\0").filter(Boolean);
	return new Map(lines.map((line) => [line.slice(line.indexOf("\t") + 1), line.slice(0, line.indexOf("\t"))]));
}

const places: readonly (readonly [path: string, rule: (below: string, scope: Scope) => Rule])[] = [
	["a.txt", outside],
	["folder/b.txt", () => "free"],
	["folder/deep/c.txt", () => "free"],
	["other/d.txt", outside],
	[".pi/settings.json", outside],
	[".pi/chronicle/workflows/w.json", (below, scope) => (below === "" ? "left out" : outside(below, scope))],
	["folder/.pi/chronicle/w.json", (below) => (below === "folder" ? "left out" : "free")],
	[".pi/agent/settings.json", () => "left out"],
	["folder/.netrc", () => "left out"],
	["folder/.aws/credentials", () => "left out"],
	["folder/.env", () => "only removed"],
	["other/key.pem", (below, scope) => (outside(below, scope) === "free" ? "only removed" : "left out")],
];

function outside(below: string, scope: Scope): Rule {
	return below === "" || scope === "repository" ? "free" : "left out";
}

const act = fc.record({
	place: fc.nat(places.length - 1),
	what: fc.constantFrom("written", "removed", "kept" as const),
});

describe("the branch of a run", () => {
	it("has what the run's snapshots leave out exactly as in its base commit, and everything else as the run has it", {
		timeout: patient(120_000),
	}, async () => {
		await fc.assert(
			fc.asyncProperty(
				fc.constantFrom("", "folder"),
				fc.constantFrom<Scope>("folder", "repository"),
				fc.uniqueArray(fc.nat(places.length - 1), { minLength: 5 }),
				fc.array(act, { minLength: 4, maxLength: 12 }),
				async (below, scope, committed, acts) => {
					const stage = openStage({ below, scope });
					for (const index of committed) stage.write(places[index]?.[0] ?? "", `by the user ${index}\n`);
					stage.commit();
					const base = stage.base();
					for (const { place, what } of acts) {
						const [path = ""] = places[place] ?? [];
						if (what === "written") stage.write(path, `by the run ${place}\n`);
						if (what === "removed") stage.remove(path);
					}
					const found = await stage.publish();
					const wanted = places.map(([path, rule]) => [path, expected(stage, base, path, rule(below, scope))] as const);
					expect(found).toEqual(new Map(wanted.filter(([, entry]) => entry !== undefined)));
				},
			),
			{ seed, numRuns: runs(0.04), endOnFailure: true },
		);
	});

	it("keeps the user's templates when it is merged, also if the run has replaced their folder", async () => {
		const stage = openStage();
		stage.write("a.txt", "a\n");
		stage.write(".pi/chronicle/workflows/w.json", "{}\n");
		stage.commit();
		const [path, template] = [...stage.base()].find(([one]) => one.endsWith("w.json")) ?? [];
		stage.remove(".pi");
		stage.write(".pi", "a file\n");
		stage.write("a.txt", "b\n");
		const found = await stage.publish();
		expect([...found.keys()].sort()).toEqual([".pi/chronicle/workflows/w.json", "a.txt"]);
		stage.merge();
		expect(stage.merged().get(path ?? "")).toBe(template);
		expect(stage.merged().get("a.txt")).toBe(found.get("a.txt"));
	});

	it("keeps what only the rules of the submitter's machine leave out, such as pi's agent folder in the project", async () => {
		const stage = openStage();
		const agent = join(stage.root, ".pi", "agent");
		for (const path of [".pi/agent/settings.json", ".pi/chronicle/w.json", "a.txt"]) stage.write(path, "{}\n");
		stage.commit();
		stage.write(".pi/agent/settings.json", "only here\n");
		stage.write(".pi/agent/models.json", "only here\n");
		stage.write("a.txt", "by the user\n");
		const own = { run: randomUUID(), remote: stage.remote };
		const leftOut = (root: string) => [join(root, ".pi", "chronicle")];
		const submitter = openSharedWorkspace({
			...{ ...own, cwd: stage.root, folder: openFolder() },
			leftOut: [...leftOut(stage.root), ...agentExclusions(agent)],
		});
		const { head, parent } = await value(publishStart(submitter, leftOut(stage.root)));

		const checkout = new Checkout({ data: openFolder(), remote: stage.remote });
		await checkout.reset(own.run, await checkout.fetchRun(own.run, own.run, head, { folder: "", parent }));
		const cwd = checkout.workOf(own.run);
		const host = openSharedWorkspace({ ...own, cwd, folder: checkout.folderOf(own.run), leftOut: leftOut(cwd) });
		await value(host.restore(head));
		expect(git(cwd, "status", "--porcelain")).toBe("M a.txt");
		writeFileSync(join(cwd, "a.txt"), "by the run\n");
		await value(host.snapshot());
		host.publisher.moveBranch(1);
		await value(host.publisher.flush());
		const found = entries(stage.remote, `chronicle/${own.run}`);
		expect([...found].filter(([path, entry]) => stage.base().get(path) !== entry).map(([path]) => path)).toEqual([
			"a.txt",
		]);
		expect([...found.keys()]).toEqual([...stage.base().keys()]);
	});

	it("has files that git converts as git would commit them, and the output of a filter only where nothing was changed", async () => {
		const settings = join(openFolder(), "gitconfig");
		writeFileSync(settings, '[filter "upper"]\n\tclean = tr a-z A-Z\n');
		const stage = openStage();
		const attributes = "*.bat text eol=crlf\n*.id ident\n*.up filter=upper\n*.evil filter=evil\nmixed.txt text=auto\n";
		stage.write(".gitattributes", attributes);
		for (const name of ["a.bat", "b.bat"]) stage.write(name, "echo 1\r\necho 2\r\n");
		for (const name of ["a.up", "b.up", "c.evil"]) stage.write(name, "large\n");
		stage.write("a.id", "$Id: 12 $\n");
		stage.git("-c", "filter.upper.clean=tr a-z A-Z", "add", "-f", "-A");
		stage.git("commit", "-q", "-m", "by the user");
		const base = stage.base();
		// An agent can write the settings of the repository.
		const trace = join(openFolder(), "trace");
		stage.git("config", "filter.evil.clean", `touch '${trace}'; cat`);
		vi.stubEnv("GIT_CONFIG_GLOBAL", settings);
		stage.write("a.txt", "by the run\n");
		const same = await stage.publish();
		expect([...same].filter(([path, entry]) => base.get(path) !== entry).map(([path]) => path)).toEqual(["a.txt"]);

		stage.write("b.bat", "echo 1\r\necho 3\r\n");
		stage.write("new.bat", "echo new\r\n");
		stage.write("b.up", "other\n");
		stage.write("c.evil", "other\n");
		const changed = await stage.publish(2);
		const textOf = (path: string) => git(stage.remote, "cat-file", "blob", changed.get(path)?.split(" ")[2] ?? "");
		expect(["b.bat", "new.bat", "b.up", "c.evil"].map(textOf)).toEqual([
			"echo 1\necho 3",
			"echo new",
			"other",
			"other",
		]);
		expect(existsSync(trace)).toBe(false);
	});

	it("has the names of files byte for byte", async () => {
		const stage = openStage();
		stage.write(".pi/chronicle/w.json", "{}\n");
		stage.commit();
		const name = Buffer.concat([Buffer.from(`${stage.root}/`), Buffer.from("caf\xe9 ", "latin1")]);
		writeFileSync(name, "text\n");
		expect([...(await stage.publish()).keys()].sort()).toEqual([".pi/chronicle/w.json", "caf\xe9 "].sort());
	});

	/** Repositories inside the project: what the user has at a path, what the run does with it, and the entry of the branch. */
	const inner: readonly (readonly [
		path: string,
		is: "a submodule" | "tracked files" | "nothing",
		run: (stage: Stage, path: string, source: string) => unknown,
		entry: "as it was" | "gone" | "its HEAD",
	])[] = [
		["without-files", "a submodule", () => {}, "as it was"],
		["without-folder", "a submodule", (stage, path) => stage.remove(path), "as it was"],
		["fetched", "a submodule", fetchSubmodule, "as it was"],
		["removed", "a submodule", (stage, path) => stage.git("rm", "-q", "-f", path), "gone"],
		["replaced", "a submodule", (stage, path) => stage.write(`${path}/own.txt`, "1\n"), "gone"],
		["replaced-by-a-file", "a submodule", (stage, path) => stage.write(path, "1\n"), "gone"],
		[
			"advanced",
			"a submodule",
			(stage, path) => {
				fetchSubmodule(stage, path);
				git(join(stage.root, path), "commit", "-q", "--allow-empty", "-m", "two");
			},
			"its HEAD",
		],
		["added", "nothing", (stage, path, source) => stage.git("submodule", "--quiet", "add", source, path), "its HEAD"],
		["cloned", "nothing", (stage, path, source) => stage.git("clone", "-q", source, path), "gone"],
		["covered", "tracked files", (stage, path) => stage.git("init", "-q", path), "as it was"],
	];

	/** Commits the user's part of `rows`, as in the folder of a host: submodules have no files. Gives the repository that all come from. */
	function commitInner(stage: Stage, rows: typeof inner): string {
		const source = openFolder({ "s.txt": "s\n" });
		git(source, "init", "-q");
		git(source, "add", ".");
		git(source, "commit", "-q", "-m", "one");
		const submodules = rows.filter(([, is]) => is === "a submodule").map(([path]) => path);
		for (const [path, is] of rows) if (is === "tracked files") stage.write(`${path}/file.txt`, "1\n");
		const text = submodules.map((path) => `[submodule "${path}"]\n\tpath = ${path}\n\turl = ${source}\n`);
		stage.write(".gitmodules", text.join(""));
		stage.git("add", ".");
		const entry = `160000,${git(source, "rev-parse", "HEAD")}`;
		stage.git("update-index", "--add", ...submodules.flatMap((path) => ["--cacheinfo", `${entry},${path}`]));
		stage.git("commit", "-q", "-m", "by the user");
		for (const path of submodules) mkdirSync(join(stage.root, path));
		return source;
	}

	it("has entries of inner repositories that git can use", async () => {
		const stage = openStage();
		const source = commitInner(stage, inner);
		const base = stage.base();
		for (const [path, , run] of inner) run(stage, path, source);
		const found = await stage.publish();
		const at = (all: typeof found, path: string) =>
			[...all].filter(([one]) => one === path || one === `${path}/file.txt`);
		for (const [path, , , entry] of inner) {
			const head = () => [[path, `160000 commit ${git(join(stage.root, path), "rev-parse", "HEAD")}`]];
			const wanted = entry === "gone" ? [] : entry === "as it was" ? at(base, path) : head();
			const now = at(found, path).filter(([, one]) => entry !== "gone" || one.startsWith("160000"));
			expect.soft([path, now]).toEqual([path, wanted]);
		}
		expect(found.has("replaced/own.txt")).toBe(true);
	});

	it("keeps submodules if git cannot read `.gitmodules`", async () => {
		const stage = openStage();
		commitInner(stage, inner.slice(0, 1));
		const entry = stage.base().get("without-files");
		stage.write(".gitmodules", "[submodule\n");
		expect((await stage.publish()).get("without-files")).toBe(entry);
	});
});

function fetchSubmodule(stage: Stage, path: string): void {
	stage.git("submodule", "--quiet", "update", "--init", path);
}

/** The entry that the branch must have. */
function expected(stage: Stage, base: ReadonlyMap<string, string>, path: string, rule: Rule): string | undefined {
	if (rule === "left out") return base.get(path);
	if (!lstatSync(join(stage.root, path), { throwIfNoEntry: false })?.isFile()) return undefined;
	return rule === "only removed" ? base.get(path) : `100644 blob ${stage.git("hash-object", "--no-filters", path)}`;
}
