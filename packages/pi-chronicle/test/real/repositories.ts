// Repositories in the shapes of real ones, with the tools that their kind uses. Tools that a machine may lack are small programs that look upward for
// the project's root, as the real ones do, and test what they find there.
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Project } from "../harness/project.ts";

/** A repository in a project. */
export interface Repository {
	readonly name: string;
	/** What is installed and ignored, for `link` of the state with the children. */
	readonly link?: readonly string[];
	/** Makes its files, its history and its installed dependencies. */
	make(project: Project): void;
	/** The project's own check, as its people run it; it prints the word that the code under test holds, and fails if that is no word. */
	readonly check: string;
	/** A change of many files whose names are known only when it runs: each `one` becomes `two`. */
	readonly edit: string;
	/** A file that the change reaches. */
	readonly changed: string;
}

const edit = (pattern: string) => `git ls-files '${pattern}' | xargs sed -i 's/"one"/"two"/'`;
const modules = Array.from({ length: 8 }, (_, index) => `m${index}`);

function commit(project: Project, message: string): void {
	project.git("add", "-A");
	project.git("commit", "-q", "--no-verify", "-m", message);
}

function program(project: Project, name: string, text: string): void {
	const folder = join(project.home, "bin");
	mkdirSync(folder, { recursive: true });
	writeFileSync(join(folder, name), text);
	chmodSync(join(folder, name), 0o755);
}

function link(project: Project, at: string, to: string): void {
	mkdirSync(join(project.path(at), ".."), { recursive: true });
	symlinkSync(to, project.path(at));
}

/** The packages of a workspace: `app` imports `core`, whose word is tested. */
function packages(project: Project): void {
	project.write("packages/core/package.json", {
		name: "@w/core",
		version: "1.0.0",
		type: "module",
		exports: "./index.js",
	});
	project.write("packages/core/index.js", 'export const word = "one";\n');
	project.write("packages/app/package.json", {
		name: "@w/app",
		version: "1.0.0",
		type: "module",
		dependencies: { "@w/core": "1.0.0" },
		scripts: { test: "node test.js" },
	});
	project.write("packages/app/test.js", 'import { word } from "@w/core";\nconsole.log(`word=${word}`);\n');
	for (const name of modules) project.write(`packages/core/src/${name}.js`, `export const ${name} = "one";\n`);
	project.write(".gitignore", "node_modules/\ndist/\n");
}

const npmWorkspaces: Repository = {
	name: "npm workspaces",
	link: ["node_modules"],
	make(project) {
		packages(project);
		project.write("package.json", { name: "w", private: true, workspaces: ["packages/*"] });
		commit(project, "Start");
		// As `npm install` leaves it.
		link(project, "node_modules/@w/core", "../../packages/core");
		link(project, "node_modules/@w/app", "../../packages/app");
	},
	check: "npm test --silent --offline --workspaces --if-present",
	edit: edit("*.js"),
	changed: "packages/core/src/m7.js",
};

const pnpmWorkspaces: Repository = {
	name: "pnpm workspaces",
	link: ["**/node_modules"],
	make(project) {
		packages(project);
		project.write("package.json", { name: "w", private: true });
		project.write("pnpm-workspace.yaml", "packages:\n  - packages/*\n");
		commit(project, "Start");
		// As `pnpm install` leaves it: each package has links of its own, a dependency lies in the store of the project.
		link(project, "packages/app/node_modules/@w/core", "../../../core");
		project.write("node_modules/.pnpm/left@1.0.0/node_modules/left/index.js", "export default 1;\n");
		link(project, "node_modules/left", ".pnpm/left@1.0.0/node_modules/left");
		program(
			project,
			"pnpm",
			`#!/bin/sh
while [ ! -e pnpm-workspace.yaml ]; do [ "$PWD" = / ] && exit 1; cd ..; done
[ -e node_modules/left/index.js ] || { echo "run pnpm install"; exit 1; }
for package in packages/*; do if [ -e "$package/test.js" ]; then (cd "$package" && node test.js) || exit 1; fi; done
`,
		);
	},
	check: "cd packages/core && pnpm test",
	edit: edit("*.js"),
	changed: "packages/core/src/m7.js",
};

const python: Repository = {
	name: "Python",
	make(project) {
		project.write("pyproject.toml", '[project]\nname = "w"\nversion = "1"\n');
		project.write("src/w/__init__.py", 'word = "one"\n');
		for (const name of modules) project.write(`src/w/${name}.py`, 'word = "one"\n');
		project.write(
			"tests/test_w.py",
			'import unittest\nfrom w import word\n\nclass Test(unittest.TestCase):\n    def test_word(self):\n        print(f"word={word}")\n        self.assertTrue(word)\n',
		);
		project.write(".gitignore", "__pycache__/\n.venv/\n");
		commit(project, "Start");
		project.write(".venv/pyvenv.cfg", "home = /usr/bin\n");
	},
	check: "PYTHONPATH=src python3 -B -m unittest discover -q -s tests",
	edit: edit("*.py"),
	changed: "src/w/m7.py",
};

const go: Repository = {
	name: "Go",
	make(project) {
		project.write("go.mod", "module example.test/w\n\ngo 1.24\n");
		project.write("internal/word/word.go", 'package word\n\nconst Word = "one"\n');
		for (const name of modules) project.write(`internal/${name}/${name}.go`, `package ${name}\n\nconst Word = "one"\n`);
		project.write("internal/word/word_test.go", "package word\n");
		commit(project, "Start");
		program(
			project,
			"go",
			`#!/bin/sh
while [ ! -e go.mod ]; do [ "$PWD" = / ] && exit 1; cd ..; done
grep -q example.test/w go.mod || exit 1
sed -n 's/^const Word = "\\(.*\\)"$/word=\\1/p' internal/word/word.go | grep .
`,
		);
	},
	check: "cd internal && go test ./...",
	edit: edit("*.go"),
	changed: "internal/m7/m7.go",
};

const submodules: Repository = {
	name: "submodules and hooks",
	make(project) {
		const library = join(project.home, "library");
		project.write("../library/word.sh", 'echo "lib"\n');
		project.git("-C", library, "init", "-q");
		project.git("-C", library, "add", "-A");
		project.git("-C", library, "commit", "-q", "-m", "Library");
		project.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", library, "vendor/library");
		for (const name of modules) project.write(`src/${name}.txt`, '"one"\n');
		project.write(
			"check.sh",
			'[ "$(sh vendor/library/word.sh)" = lib ] || exit 1\nsed \'s/"//g; s/^/word=/\' src/m0.txt\n',
		);
		// A hook that only wants to be left alone: nobody who commits for a run may call it.
		project.write(".githooks/pre-commit", '#!/bin/sh\ntouch "$HOME/hook-ran"\nexit 1\n');
		chmodSync(project.path(".githooks/pre-commit"), 0o755);
		commit(project, "Start");
		project.git("config", "core.hooksPath", ".githooks");
	},
	check: "sh check.sh",
	edit: edit("src/*.txt"),
	changed: "src/m7.txt",
};

/** A repository of many files, in folders of 100. */
export function large(count: number): Repository {
	return {
		name: `${count.toLocaleString("en-US")} files`,
		make(project) {
			for (let n = 0; n < count; n += 1) {
				const folder = project.path(`d${Math.floor(n / 100)}`);
				if (n % 100 === 0) mkdirSync(folder, { recursive: true });
				writeFileSync(join(folder, `f${n}.txt`), `file ${n}\n`);
			}
			for (const name of modules) project.write(`src/${name}.txt`, '"one"\n');
			commit(project, "Start");
		},
		check: "sed 's/\"//g; s/^/word=/' src/m0.txt",
		edit: edit("src/*.txt"),
		changed: "src/m7.txt",
	};
}

export const repositories: readonly Repository[] = [npmWorkspaces, pnpmWorkspaces, python, go, submodules];
