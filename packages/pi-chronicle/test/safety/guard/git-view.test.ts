// Ignored and tracked files, read from git's files and compared with git itself.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openGitView } from "../../../src/safety/guard/match/git-view.ts";
import { runs, seed } from "../../harness/runs.ts";
import { openSetting, type Setting } from "./guarded-project.ts";

let root: string;
beforeEach(() => {
	root = realpathSync(mkdtempSync(join(tmpdir(), "git-view-")));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function put(file: string, text = "x\n"): void {
	mkdirSync(dirname(join(root, file)), { recursive: true });
	writeFileSync(join(root, file), text);
}

/** Runs git without the settings of the account that runs the tests. */
function git(args: readonly string[], input?: string, cwd = root): string {
	const env = { PATH: process.env.PATH, HOME: root, GIT_CONFIG_NOSYSTEM: "1" };
	const options = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "protocol.file.allow=always"];
	return spawnSync("git", [...options, ...args], { cwd, env, input, encoding: "utf8" }).stdout;
}

const names = ["a", "b.pem", "c.txt", "deep", ".env", "x y"];
const paths = fc
	.array(fc.constantFrom(...names), { minLength: 1, maxLength: 4 })
	.map((parts) => [...parts.slice(0, -1).map((part) => `${part}.d`), parts.at(-1)].join("/"));
const pattern = fc.oneof(
	fc.constantFrom(
		"*.pem",
		"*",
		"deep.d/",
		"/a",
		"a.d/*",
		"**/c.txt",
		"a.d/**",
		"?.pem",
		"[ab]*",
		".env",
		"# no",
		"x\\ y",
		"",
	),
	paths,
	paths.map((path) => `/${path}`),
);
const line = fc.tuple(fc.boolean(), pattern).map(([back, text]) => (back && text !== "" ? `!${text}` : text));
const rules = fc.array(line, { maxLength: 5 }).map((lines) => lines.join("\n"));

describe("ignored files", () => {
	it("are those that git reports, for any rules and any files", () => {
		git(["init", "-q"]);
		fc.assert(
			fc.property(
				rules,
				fc.array(fc.tuple(paths, rules), { maxLength: 2 }),
				rules,
				fc.array(paths, { minLength: 1, maxLength: 8 }),
				(top, below, exclude, files) => {
					for (const name of [...names, ...names.map((name) => `${name}.d`), ".gitignore"])
						rmSync(join(root, name), { recursive: true, force: true });
					for (const file of files) put(file);
					put(".gitignore", top);
					for (const [path, text] of below) if (path.includes("/")) put(`${dirname(path)}/.gitignore`, text);
					put(".git/info/exclude", exclude);
					const view = openGitView();
					const said = git(["check-ignore", "--no-index", "-z", "--stdin"], `${files.join("\0")}\0`).split("\0");
					for (const file of files)
						expect([file, view.isIgnored(join(root, file))]).toEqual([file, said.includes(file)]);
				},
			),
			{ numRuns: runs(0.3), seed },
		);
	});

	it("exclude files that a search program's own ignore file includes again", () => {
		git(["init", "-q"]);
		put(".gitignore", "*.pem\n");
		put("a/x.pem");
		expect(openGitView().isIgnored(join(root, "a/x.pem"))).toBe(true);
		put("a/.rgignore", "!*.pem\n");
		expect(openGitView().isIgnored(join(root, "a/x.pem"))).toBe(false);
	});

	it("do not exist outside of a repository; a nested repository has its own", () => {
		put(".gitignore", "*.pem\n");
		put("x.pem");
		expect(openGitView().isIgnored(join(root, "x.pem"))).toBe(false);
		git(["init", "-q"]);
		put("inner/x.pem");
		git(["init", "-q"], undefined, join(root, "inner"));
		expect(openGitView().isIgnored(join(root, "x.pem"))).toBe(true);
		expect(openGitView().isIgnored(join(root, "inner/x.pem"))).toBe(false);
	});

	it("are read again when an ignore file changes", () => {
		git(["init", "-q"]);
		put(".gitignore", "*.pem\n");
		put("x.pem");
		const view = openGitView();
		expect(view.isIgnored(join(root, "x.pem"))).toBe(true);
		put(".gitignore", "*.other\n");
		expect(view.isIgnored(join(root, "x.pem"))).toBe(false);
	});
});

describe("untracked files", () => {
	it.each(["2", "4"])("are those missing from an index of version %s", (version) => {
		git(["init", "-q"]);
		for (const file of ["a", "a.d/b", "a.d/bc/d", "z z", "ü/ö", "later"]) put(file);
		git(["add", "--", "a", "a.d", "z z", "ü"]);
		git(["add", "-N", "later"]);
		git(["update-index", "--index-version", version]);
		put("new");
		const view = openGitView();
		const untracked = ["a", "a.d/b", "a.d/bc/d", "z z", "ü/ö", "later", "new"].filter((file) =>
			view.isUntracked(join(root, file)),
		);
		expect(untracked).toEqual(["new"]);
		git(["add", "new"]);
		expect(view.isUntracked(join(root, "new"))).toBe(false);
	});

	it("do not exist if the index is split, damaged, missing or of another kind", () => {
		git(["init", "-q"]);
		put("new");
		expect(openGitView().isUntracked(join(root, "new"))).toBe(false);
		put("a");
		git(["add", "a"]);
		expect(openGitView().isUntracked(join(root, "new"))).toBe(true);
		git(["update-index", "--split-index"]);
		expect(openGitView().isUntracked(join(root, "new"))).toBe(false);
		put(".git/index", "DIRC\0\0\0\u0002\0\0\0\u0009 and no more than that");
		expect(openGitView().isUntracked(join(root, "new"))).toBe(false);
		rmSync(join(root, ".git"), { recursive: true });
		git(["init", "-q", "--object-format=sha256"]);
		git(["add", "a"]);
		expect(openGitView().isUntracked(join(root, "new"))).toBe(false);
	});

	it("are known in a worktree too", () => {
		git(["init", "-q"]);
		put("a");
		put(".gitignore", "x.pem\n");
		git(["add", "."]);
		git(["commit", "-qm", "start"]);
		git(["worktree", "add", "-q", "tree"]);
		put("tree/new");
		put("tree/x.pem");
		put(".git/info/exclude", "new\n");
		const view = openGitView();
		expect(view.isUntracked(join(root, "tree/a"))).toBe(false);
		expect(view.isUntracked(join(root, "tree/new"))).toBe(true);
		expect(view.isIgnored(join(root, "tree/x.pem"))).toBe(true);
		expect(view.isIgnored(join(root, "tree/new"))).toBe(true);
	});
});

describe("verdicts on ignored files", () => {
	const rulesText = `effects: { recursive-delete: deny }\nzeroAccessPaths: ["*.pem"]\n`;
	let setting: Setting;
	beforeEach(() => {
		setting = openSetting(rulesText);
		// The key in the root of the usual project is not ignored, and links lead to the home directory.
		setting.remove("server.pem", "lnk");
	});
	afterEach(() => setting.close());
	const write = (path: string) => {
		mkdirSync(dirname(join(setting.cwd, path)), { recursive: true });
		writeFileSync(join(setting.cwd, path), "x\n");
	};

	it("are the same for one ignored secret and for many, with and without git", async () => {
		for (let index = 0; index < 300; index++) write(`tmp/keys/${index}.pem`);
		const path = process.env.PATH;
		try {
			// It runs without the closed files.
			expect((await setting.bash("rg -uu x")).decision).toBe("allow");
			expect((await setting.bash("cat tmp/keys/7.pem")).decision).toBe("deny");
			expect((await setting.bash("rg --hidden x")).decision).toBe("allow");
			process.env.PATH = "";
			for (let round = 0; round < 3; round++) expect((await setting.bash("rg --hidden x")).decision).toBe("allow");
		} finally {
			process.env.PATH = path;
		}
	});

	it("allow the removal of an ignored folder without tracked files", async () => {
		write("tmp/cache/deep/a");
		expect((await setting.bash("rm -rf tmp/cache")).decision).toBe("allow");
		// Git knows which absent folders it would ignore.
		expect((await setting.bash("rm -rf tmp/absent dist/absent")).decision).toBe("allow");
		expect((await setting.bash("rm -rf tmp/cache src")).decision).toBe("deny");
		expect((await setting.bash("rm -rf tmp/cache/../../src")).decision).toBe("deny");
		spawnSync("git", ["-C", setting.cwd, "add", "-f", "tmp/cache/deep/a"]);
		expect((await setting.bash("rm -rf tmp/cache")).decision).toBe("deny");
		// A link with an ignored name leads to a path that is not ignored.
		symlinkSync(join(setting.cwd, "src"), join(setting.cwd, "dist/out"));
		expect((await setting.bash("rm -rf dist/out/")).decision).toBe("deny");
	});
});
