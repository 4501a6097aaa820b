// A project's everyday commands in the sandbox, on projects made here: they pass, and again without a network once their packages are there.
// What the machine lacks is skipped with its reason.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { needs, needsProgram } from "../../harness/needs.ts";
import { type BoxOptions, openTestBox, sandbox } from "./box.ts";

/** Whether a program starts. */
function has(program: string, ...args: string[]): boolean {
	const ran = spawnSync(program, args.length > 0 ? args : ["--version"], { encoding: "utf8", timeout: 20_000 });
	return ran.status === 0;
}

const init = "git init -q -b main && git add -A && git commit -qm one";
const npmFiles = {
	"project/package.json": JSON.stringify({
		name: "p",
		version: "1.0.0",
		scripts: { test: "node test.js", prepare: "node -e 0" },
		dependencies: { dep: "file:dep-1.0.0.tgz" },
	}),
	"project/dep/package.json": '{ "name": "dep", "version": "1.0.0", "main": "i.js" }',
	"project/dep/i.js": "module.exports = 7;\n",
	"project/test.js": "if (require('dep') !== 7) process.exit(1); console.log('passed');\n",
	"project/.gitignore": "node_modules/\n",
};
const pack = "(cd dep && npm pack --silent >/dev/null && mv dep-1.0.0.tgz ..)";

const projects: readonly [what: string, program: string, box: BoxOptions, commands: readonly string[]][] = [
	[
		"npm",
		"npm",
		{ files: npmFiles, before: pack },
		["npm install", "npm test", "npm ci --offline", "npm ls", "npm run test"],
	],
	[
		"make and a compiler",
		"make",
		{
			files: {
				"project/Makefile": "all: m\n\t./m\nm: m.c\n\tcc -o m m.c\ninstall:\n\tinstall -D m $(DESTDIR)/bin/m\n",
				"project/m.c": "int main(){return 0;}\n",
			},
		},
		["make", "make install DESTDIR=$PWD/dest", "test -x dest/bin/m"],
	],
	[
		"cargo",
		"cargo",
		{
			files: {
				"project/Cargo.toml": '[package]\nname = "p"\nversion = "0.1.0"\nedition = "2021"\n',
				"project/src/lib.rs": "#[test]\nfn t() { assert_eq!(1, 1); }\n",
			},
			env: Object.fromEntries(
				["RUSTUP_HOME"].flatMap((name) =>
					process.env[name]
						? [[name, process.env[name] ?? ""]]
						: [["RUSTUP_HOME", join(process.env.HOME ?? "", ".rustup")]],
				),
			),
		},
		["cargo test -q --offline", "cargo build -q --offline"],
	],
	[
		"go",
		"go",
		{
			files: {
				"project/go.mod": "module p\n\ngo 1.20\n",
				"project/p_test.go": 'package p\n\nimport "testing"\n\nfunc TestP(t *testing.T) {}\n',
			},
		},
		["go test ./...", "go vet ./...", "go env -w GOFLAGS=-mod=mod", "go build ./..."],
	],
	[
		"pytest",
		"pytest",
		{
			files: { "project/test_p.py": "def test_p(tmp_path):\n    (tmp_path / 'x').write_text('x')\n" },
			env: { PYENV_ROOT: process.env.PYENV_ROOT ?? join(process.env.HOME ?? "", ".pyenv") },
		},
		["pytest -q", "python3 -m venv --without-pip .venv && .venv/bin/python -c 'print(1)'"],
	],
	[
		"git",
		"git",
		{ files: { "project/a.txt": "a\n" }, before: init },
		[
			"echo b >> a.txt; git add -A; git commit -qm two",
			"git checkout -q -b x",
			"git stash list",
			"git tag v1",
			"git worktree add -q ./w && git worktree remove w",
			"git gc -q",
			"git rebase -q main",
		],
	],
];

describe("everyday commands in the sandbox", needsProgram("bwrap", sandbox), () => {
	for (const [what, program, options, commands] of projects)
		describe(what, needs(program, has(program)), () => {
			it("pass, and again without a network", async () => {
				const box = openTestBox(options);
				for (const command of commands)
					for (const network of ["open", "off"] as const) {
						// Some change what is there, so that they cannot be repeated.
						if (network === "off" && /git (checkout|tag)|worktree/.test(command)) continue;
						const ran = await box.run(command, "project", network);
						expect(ran, `${command} (${network}): ${ran.text}`).toMatchObject({ code: 0 });
					}
			});
		});

	it.each<[string, BoxOptions]>([
		["a fresh home", { at: "project", before: init }],
		[
			"a linked worktree",
			{
				at: "tree",
				before:
					"cd .. && rm -rf tree && mkdir main && cd main && git init -q -b main && echo a > a.txt && git add -A && git commit -qm one && git worktree add -q ../tree",
			},
		],
		["a folder of a bigger repository", { at: "repo/packages/x", before: `cd ../.. && ${init} --allow-empty` }],
	])("git adds and commits in %s; hooks and settings stay closed", async (_what, options) => {
		const box = openTestBox({ files: { [`${options.at === "tree" ? "x" : options.at}/a.txt`]: "a\n" }, ...options });
		const ran = await box.run("echo b > b.txt && git add -A . && git commit -qm two && git status --porcelain");
		expect(ran, ran.text).toMatchObject({ code: 0, text: "" });
		const tried = await box.run(
			'h=$(git rev-parse --git-path hooks); mkdir -p "$h"; echo x > "$h/pre-commit"; git config a.b c',
		);
		expect(tried.code).not.toBe(0);
		expect(box.outside("git config a.b || test -e $(git rev-parse --git-path hooks)/pre-commit || echo none")).toBe(
			"none\n",
		);
	});

	it(
		"packages that the user has stored are found without a network, and the store is not written",
		needs("npm", has("npm")),
		async () => {
			const box = openTestBox({
				files: npmFiles,
				before: `${pack}; npm cache add ./dep-1.0.0.tgz; find ~/.npm -type f | sort > ../before.txt`,
			});
			const ran = await box.run("npm install --offline && npm test");
			expect(ran, ran.text).toMatchObject({ code: 0 });
			expect(
				box.outside(
					"find ~/.npm -type f -not -path '*_logs*' | sort | grep -v _logs | diff - <(grep -v _logs ../before.txt)",
				),
			).toBe("");
		},
	);

	it(
		"a state that does not change the project installs what git ignores, and writes nothing else",
		needs("npm", has("npm")),
		async () => {
			const box = openTestBox({ files: npmFiles, before: `${pack}; ${init}` });
			const ran = await box.run(
				"npm install --no-package-lock --no-audit && npm test; echo x > new.txt; echo x >> test.js; rm -f package.json",
				"ignored",
				"open",
			);
			expect(ran.text).toContain("passed");
			expect(box.outside("git status --short")).toBe("");
			expect(existsSync(join(box.project, "node_modules/dep"))).toBe(true);
		},
	);
});
