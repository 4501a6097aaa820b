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

/** The kinds of projects, in the order in which they are looked for. */
const kinds: readonly ((top: Top) => string | undefined)[] = [
	packageTests,
	denoTests,
	(top) => (hasTarget(top, ["GNUmakefile", "makefile", "Makefile"], /^test\s*:(?!=)/m) ? "make test" : undefined),
	(top) => (hasTarget(top, ["justfile", "Justfile", ".justfile"], /^@?test\b[^\n=]*:(?!=)/m) ? "just test" : undefined),
	(top) => (hasTarget(top, ["Taskfile.yml", "Taskfile.yaml"], /^ {2,4}test:/m) ? "task test" : undefined),
	pythonTests,
	(top) => (top.has("Cargo.toml") ? "cargo test" : undefined),
	(top) => (top.has("go.work") || top.has("go.mod") ? "go test ./..." : undefined),
	(top) => (top.has("pom.xml") ? `${top.has("mvnw") ? "./mvnw" : "mvn"} -q test` : undefined),
	(top) =>
		top.has("build.gradle") || top.has("build.gradle.kts")
			? `${top.has("gradlew") ? "./gradlew" : "gradle"} test`
			: undefined,
	rubyTests,
	(top) => (top.has("mix.exs") ? "mix test" : undefined),
	phpTests,
	(top) => (top.has("Package.swift") ? "swift test" : undefined),
	(top) => (top.has("pubspec.yaml") ? "dart test" : undefined),
	(top) => (top.has("*.sln") || top.has("*.slnx") || top.has("*.csproj") ? "dotnet test" : undefined),
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
	const runner = has("uv.lock") ? "uv run " : has("poetry.lock") ? "poetry run " : "";
	const configured = has("pytest.ini") || has("conftest.py") || /\[(?:tool:)?pytest\]/.test(text("setup.cfg"));
	if (configured || /\bpytest\b/.test(project)) return `${runner}pytest`;
	if (has("tox.ini")) return "tox";
	if (has("noxfile.py")) return "nox";
	if (has("manage.py")) return `${runner}python manage.py test`;
	if (!has("pyproject.toml") && !has("setup.py") && !has("setup.cfg")) return undefined;
	const requirements = text("requirements.txt") + text("requirements-dev.txt");
	return /^pytest\b/m.test(requirements) || has("tests") ? `${runner}pytest` : undefined;
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
