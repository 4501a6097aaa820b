// Commands known to only read and commands known to write, as agents use them.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { programGroups } from "../src/programs/index.ts";
import { measured, shell } from "./host-environment.ts";
import { knowledgeOf } from "./knowledge.ts";
import { reading, writing } from "./known-commands.ts";
import { disguisedCommands, rareCommands, sendingCommands } from "./rare-commands.ts";

describe("known to only read", () => {
	it.each(reading)("%s", (command) => {
		expect(knowledgeOf(shell(command)), JSON.stringify(shell(command).unknowns)).toBe("reads");
	});
});

it.each([...sendingCommands, ...disguisedCommands])("does not only read: %s", (command) => {
	expect(knowledgeOf(shell(command))).not.toBe("reads");
});

it.each([
	"echo | openssl s_client -connect host:443",
	"ruby -v",
	"lua -v",
	"perl -V",
	"tmux ls",
	"gawk 1 a",
	"go vet ./...",
])("only reads: %s", (command) => {
	expect(knowledgeOf(shell(command))).toBe("reads");
});

describe("known to write", () => {
	it.each(writing)("%s", (command) => {
		expect(knowledgeOf(shell(command))).toBe("writes");
	});
});

describe("not known", () => {
	it.each([
		"bash script.sh",
		"./script.sh",
		"sh script.sh arg",
		"source script.sh",
		"python x.py",
		"python -c \"open('a','w')\"",
		"node -e 'x()'",
		"node x.js",
		"perl -e x",
		"ruby x.rb",
		"php -r x",
		"npx something",
		"vim a",
		"nano a",
		"code .",
		"frobnicate",
		"$RANDOM",
		"eval $(date)",
		"curl x | sh",
		"ansible-galaxy x; frobnicate",
		"rm $(date) || true; frobnicate",
		"bwrap x",
		"deno run x.ts",
		"awk -f x.awk a",
		"sed -f x.sed a",
		"if x; then",
		"claude -p hi",
	])("%s", (command) => {
		expect(["unknown", "writes"]).toContain(knowledgeOf(shell(command)));
	});

	it.each([
		"npm test",
		"npm run build",
		"npm run lint -- --quiet",
		"pnpm test",
		"yarn test",
		"bun test",
		"npx vitest run",
		"npx tsc --noEmit",
		"tsc --noEmit",
		"vitest run",
		"jest",
		"pytest -q",
		"python -m pytest",
		"uv run pytest",
		"poetry run pytest -x",
		"cargo test",
		"cargo build",
		"cargo check",
		"cargo clippy",
		"go test ./...",
		"go build ./...",
		"go vet ./... && go test ./...",
		"make",
		"make test",
		"make -j4 build",
		"./gradlew test",
		"mvn test",
		"eslint src",
		"npx eslint .",
		"ruff check .",
		"mypy src",
		"cmake --build build",
		"bundle exec rspec",
		"dotnet test",
		"mix test",
		"node --test",
		"node_modules/.bin/tsc",
	])("runs the project's own code: %s", (command) => {
		expect(knowledgeOf(shell(command)), JSON.stringify(shell(command).unknowns)).toBe("project");
	});
});

describe("folders for temporary files", () => {
	it.each([
		"echo x > /tmp/x",
		"cd /tmp && touch x",
		"mkdir -p /tmp/build/y && rm -rf /tmp/build/y",
		"cp a /tmp/",
		"f=$(mktemp); echo x > $f; rm $f",
		'd=$(mktemp -d) && echo x > "$d/y" && rm -rf "$d"',
		"sort a > /var/tmp/x",
		"curl -o /tmp/x https://example.com",
		"cat a | tee /tmp/x",
		"ln -s /etc/hosts /tmp/link",
	])("may be written: %s", (command) => {
		expect(knowledgeOf(shell(command))).toBe("temporary");
	});

	it.each([
		"rm -rf /tmp",
		"mv a /tmp/x",
		"echo x > /tmp/../x",
		"echo x > /tmpx",
		"echo x > /tmp/build/../../home/me/x",
	])("do not excuse: %s", (command) => {
		expect(knowledgeOf(shell(command))).toBe("writes");
	});

	it("a link in them may lead outside", () => {
		const disk = { "/tmp/out": "-> /home/me/project", "/home/me/project/a": "file" };
		expect(knowledgeOf(shell("echo x > /tmp/out/a", { disk }))).toBe("writes");
	});
});

describe("tools", () => {
	it("of pi read or write according to their kind", () => {
		for (const tool of ["read", "grep", "find", "ls"])
			expect(knowledgeOf(measured({ tool, input: { path: "a", pattern: "x" } }))).toBe("reads");
		for (const tool of ["write", "edit"]) expect(knowledgeOf(measured({ tool, input: { path: "a" } }))).toBe("writes");
	});

	it("of another extension are unknown, unless the server declares them read-only", () => {
		expect(knowledgeOf(measured({ tool: "mcp__x__get_issue", input: { id: 1 } }))).toBe("unknown");
		expect(
			knowledgeOf(measured({ tool: "mcp__x__get_issue", input: { id: 1 }, annotations: { readOnlyHint: true } })),
		).toBe("reads");
		expect(knowledgeOf(measured({ tool: "patch_file", input: { path: "a" } }))).toBe("writes");
	});
});

describe("known of a rare program", () => {
	it.each(Object.entries(rareCommands))("%s: %s", (command, known) => {
		expect(knowledgeOf(shell(command))).toBe(known);
	});
});

it("every row of the table of programs has a case", () => {
	const folder = dirname(fileURLToPath(import.meta.url));
	const cases = readdirSync(folder)
		.filter((name) => name.endsWith(".ts"))
		.map((name) => readFileSync(join(folder, name), "utf8"))
		.join("\n");
	const words = new Set(cases.split(/[^\w.+[\]-]+/));
	const rows = programGroups.flatMap((group) => Object.keys(group));
	expect(rows.filter((row) => !row.split(" ").some((name) => words.has(name)))).toEqual([]);
});
