// Which command runs a project's tests, by the files at its top.
import { describe, expect, it } from "vitest";
import { findTestCommand, withTestCommand } from "../../src/disk/index.ts";
import { openFolder } from "../harness/folder.ts";

const npm = (test: string, more = {}) => JSON.stringify({ scripts: { test }, ...more });

describe("the command of a project's tests", () => {
	it.each<[string | undefined, Record<string, string>]>([
		["npm test", { "package.json": npm("vitest") }],
		["npm test", { "package.json": `\ufeff${npm("vitest")}`, Makefile: "test:\n\ttrue\n", "go.mod": "module a\n" }],
		["pnpm test", { "package.json": npm("vitest"), "pnpm-lock.yaml": "" }],
		["pnpm test", { "package.json": npm("vitest", { packageManager: "pnpm@9.1.0" }) }],
		["yarn test", { "package.json": npm("jest"), "yarn.lock": "" }],
		["bun run test", { "package.json": npm("bun test"), "bun.lock": "" }],
		[undefined, { "package.json": npm('echo "Error: no test specified" && exit 1') }],
		[undefined, { "package.json": npm(" ") }],
		[undefined, { "package.json": "{" }],
		[undefined, { "package.json": '["scripts"]' }],
		["make test", { "package.json": "{}", Makefile: ".PHONY: test\nall:\n\ttrue\ntest: all\n\ttrue\n" }],
		["make test", { GNUmakefile: "test : all\n" }],
		[undefined, { Makefile: "test := 1\ntests:\n\ttrue\n" }],
		["just test", { justfile: "test *args:\n  pytest {{args}}\n" }],
		["make test", { Makefile: "build test lint:\n\ttrue\n" }],
		["make test", { Makefile: "test:: all\n" }],
		[undefined, { Makefile: "test ::= 1\ntest :::= 2\nall: test\n" }],
		[undefined, { justfile: 'test := "a"\ntest-all:\n  true\ntest  := "a:b"\n' }],
		["just test", { ".justfile": '@test filter="": build\n  cargo test {{filter}}\n' }],
		["task test", { "Taskfile.yml": "version: 3\ntasks:\n  test:\n    cmds: [go test]\n" }],
		["deno task test", { "deno.json": '{ "tasks": { "test": "deno test -A" } }' }],
		["deno test", { "deno.jsonc": "{ // none\n}" }],
		["pytest", { "pyproject.toml": "[tool.pytest.ini_options]\n" }],
		["pytest", { "pytest.ini": "[pytest]\n" }],
		["pytest", { "setup.py": "", "requirements-dev.txt": "pytest==8\n" }],
		["pytest", { "setup.py": "", "tests/test_a.py": "" }],
		["uv run pytest", { "pyproject.toml": '[dependency-groups]\ndev = ["pytest"]\n', "uv.lock": "" }],
		["poetry run pytest", { "pyproject.toml": '[tool.poetry.dev-dependencies]\npytest = "*"\n', "poetry.lock": "" }],
		["tox", { "tox.ini": "[tox]\n", "pyproject.toml": "" }],
		["python manage.py test", { "manage.py": "" }],
		[undefined, { "pyproject.toml": "[project]\n" }],
		["cargo test", { "Cargo.toml": "" }],
		["go test ./...", { "go.mod": "module a\n" }],
		["pytest", { "requirements.txt": "requests\n", "tests/test_a.py": "" }],
		["pytest", { "requirements.txt": "pytest==8\n" }],
		["pdm run pytest", { "pyproject.toml": "[tool.pytest.ini_options]\n", "pdm.lock": "" }],
		["pipenv run pytest", { Pipfile: "", "tests/test_a.py": "" }],
		["gradle test", { "settings.gradle": "include 'app'\n" }],
		["sbt test", { "build.sbt": "" }],
		["flutter test", { "pubspec.yaml": "dependencies:\n  flutter:\n    sdk: flutter\n" }],
		["dart test", { "pubspec.yaml": "name: a\n" }],
		["stack test", { "stack.yaml": "", "a.cabal": "" }],
		["cabal test", { "a.cabal": "" }],
		["zig build test", { "build.zig": "" }],
		["mvn -q test", { "pom.xml": "" }],
		["./gradlew test", { "build.gradle.kts": "", gradlew: "" }],
		["bundle exec rspec", { Gemfile: "", ".rspec": "" }],
		["rake test", { Rakefile: "Rake::TestTask.new(:test)\n" }],
		["mix test", { "mix.exs": "" }],
		["composer test", { "composer.json": npm("phpunit") }],
		["vendor/bin/phpunit", { "composer.json": "{}", "phpunit.xml.dist": "" }],
		["swift test", { "Package.swift": "" }],
		["dotnet test", { "Shop.sln": "" }],
		[undefined, { "README.md": "" }],
	])("%s", (command, files) => {
		const folder = openFolder(files);
		expect(findTestCommand(folder)).toBe(command);
	});

	it("stands for {tests} in a line, but not for a variable of the shell", () => {
		const folder = openFolder({ "go.mod": "" });
		expect(withTestCommand("make build && {tests} # ${tests}", folder)).toBe("make build && go test ./... # ${tests}");
		expect(withTestCommand("{tests}", openFolder())).toBe(
			"echo No command that runs the tests of this project was found.",
		);
		expect(withTestCommand("npm test", folder)).toBe("npm test");
	});
});
