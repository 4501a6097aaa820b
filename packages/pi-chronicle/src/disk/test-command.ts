// Finds the command that runs a project's tests, by the files at the top of the project. Reads a few small files, and runs nothing.
import { join } from "node:path";
import { folderNames, jsonObject, readSmallFile } from "./look-up.ts";

/** A folder's own names and small files. */
interface Top {
	readonly has: (name: string) => boolean;
	readonly text: (name: string) => string;
	/** The fields of a JSON file; none if it is no object. */
	readonly fields: (name: string) => Readonly<Record<string, unknown>>;
}

/** A rule for `test`, alone or with others; no variable. */
const makeTarget = /^(?:[\w.-]+ +)*test(?: +[\w.-]+)*[ \t]*:{1,2}(?![:=])/m;
/** A recipe `test`, with its parameters; no variable. */
const justRecipe = /^@?test(?:[ \t]+(?!\s*:=)[^\n]*)?:(?!=)/m;
const taskfiles = ["Taskfile.yml", "Taskfile.yaml", "taskfile.yml", "taskfile.yaml"];
const gradleFiles = ["build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"];

/** The kinds of projects, in the order in which they are looked for. */
const kinds: readonly ((top: Top) => string | undefined)[] = [
	packageTests,
	denoTests,
	(top) => (hasTarget(top, ["GNUmakefile", "makefile", "Makefile"], makeTarget) ? "make test" : undefined),
	(top) => (hasTarget(top, ["justfile", "Justfile", ".justfile"], justRecipe) ? "just test" : undefined),
	(top) => (hasTarget(top, taskfiles, /^ {1,4}["']?test["']?:/m) ? "task test" : undefined),
	pythonTests,
	simpleKind("cargo test", "Cargo.toml"),
	simpleKind("go test ./...", "go.work", "go.mod"),
	(top) => (top.has("pom.xml") ? `${top.has("mvnw") ? "./mvnw" : "mvn"} -q test` : undefined),
	(top) => (gradleFiles.some(top.has) ? `${top.has("gradlew") ? "./gradlew" : "gradle"} test` : undefined),
	simpleKind("sbt test", "build.sbt"),
	rubyTests,
	simpleKind("mix test", "mix.exs"),
	phpTests,
	simpleKind("swift test", "Package.swift"),
	(top) =>
		top.has("pubspec.yaml")
			? `${/sdk:\s*flutter/.test(top.text("pubspec.yaml")) ? "flutter" : "dart"} test`
			: undefined,
	simpleKind("dotnet test", "*.sln", "*.slnx", "*.csproj", "*.fsproj"),
	simpleKind("stack test", "stack.yaml"),
	simpleKind("cabal test", "*.cabal"),
	simpleKind("zig build test", "build.zig"),
];

/** The command line that runs the tests of the project in `folder` (absolute), for the system's shell; `undefined`: none is found. */
export function findTestCommand(folder: string): string | undefined {
	const names = new Set(folderNames(folder));
	const endings = new Set([...names].map((name) => `*${name.slice(name.lastIndexOf("."))}`));
	const top: Top = {
		has: (name) => (name.startsWith("*") ? endings : names).has(name),
		text: (name) => (names.has(name) ? (readSmallFile(join(folder, name)) ?? "") : ""),
		fields: (name) => (names.has(name) ? (jsonObject(join(folder, name)) ?? {}) : {}),
	};
	for (const kind of kinds) {
		const found = kind(top);
		if (found !== undefined) return found;
	}
	return undefined;
}

/** The reference to the project's tests in a command. Not `${tests}`, a variable of the shell. */
const reference = /(?<!\$)\{tests\}/g;
const absent = "echo No command that runs the tests of this project was found.";

/** `line` with the command that runs the tests of the project in `folder` in place of `{tests}`. */
export function withTestCommand(line: string, folder: string): string {
	return line.replace(reference, () => findTestCommand(folder) ?? absent);
}

/** A kind of project that one of `files` at the top tells. */
function simpleKind(command: string, ...files: readonly string[]): (top: Top) => string | undefined {
	return ({ has }) => (files.some(has) ? command : undefined);
}

function hasTarget({ text }: Top, files: readonly string[], target: RegExp): boolean {
	return files.some((name) => target.test(text(name)));
}

/** `test` of package.json, unless it is the one that npm writes into new projects. */
function packageTests({ has, fields }: Top): string | undefined {
	const { scripts, packageManager } = fields("package.json");
	const test = scriptOf(scripts, "test");
	if (test === undefined || test.includes("no test specified")) return undefined;
	const named = typeof packageManager === "string" ? packageManager.split("@")[0] : undefined;
	if (named === "pnpm" || has("pnpm-lock.yaml")) return "pnpm test";
	if (named === "yarn" || has("yarn.lock")) return "yarn test";
	if (named === "bun" || has("bun.lock") || has("bun.lockb")) return "bun run test";
	return "npm test";
}

function denoTests({ has, text }: Top): string | undefined {
	const file = ["deno.json", "deno.jsonc"].find(has);
	if (file === undefined) return undefined;
	return /"test"\s*:\s*["{]/.test(text(file)) ? "deno task test" : "deno test";
}

function pythonTests({ has, text }: Top): string | undefined {
	const project = text("pyproject.toml");
	const runner = pythonRunner(has);
	const isConfigured =
		has("pytest.ini") || has(".pytest.ini") || has("conftest.py") || /\[(?:tool:)?pytest\]/.test(text("setup.cfg"));
	if (isConfigured || /\bpytest\b/.test(project)) return `${runner}pytest`;
	if (has("tox.ini")) return "tox";
	if (has("noxfile.py")) return "nox";
	if (has("manage.py")) return `${runner}python manage.py test`;
	if (/^pytest\b/m.test(text("requirements.txt") + text("requirements-dev.txt"))) return `${runner}pytest`;
	const isPython = ["pyproject.toml", "setup.py", "setup.cfg", "requirements.txt", "Pipfile"].some(has);
	return isPython && has("tests") ? `${runner}pytest` : undefined;
}

function pythonRunner(has: Top["has"]): string {
	if (has("uv.lock")) return "uv run ";
	if (has("poetry.lock")) return "poetry run ";
	if (has("pdm.lock")) return "pdm run ";
	return has("Pipfile") ? "pipenv run " : "";
}

function rubyTests({ has, text }: Top): string | undefined {
	if (!has("Gemfile") && !has("Rakefile")) return undefined;
	if (has("bin") && has("config.ru") && has("test")) return "bin/rails test";
	const runner = has("Gemfile") ? "bundle exec " : "";
	if (has(".rspec") || has("spec")) return `${runner}rspec`;
	return /\btest\b/i.test(text("Rakefile")) ? `${runner}rake test` : undefined;
}

function phpTests({ has, fields }: Top): string | undefined {
	const { scripts } = fields("composer.json");
	if (typeof scripts === "object" && scripts !== null && "test" in scripts) return "composer test";
	return has("phpunit.xml") || has("phpunit.xml.dist") ? "vendor/bin/phpunit" : undefined;
}

/** The script `name` in the field `scripts` of a manifest, if it does something. */
function scriptOf(scripts: unknown, name: string): string | undefined {
	if (typeof scripts !== "object" || scripts === null) return undefined;
	const script = (scripts as Readonly<Record<string, unknown>>)[name];
	return typeof script === "string" && script.trim() !== "" ? script : undefined;
}
