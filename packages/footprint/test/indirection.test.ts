// Indirection: links made by the same command, variables that make programs run something, changed search paths.
import { describe, expect, it } from "vitest";
import { accesses, doubts, shell } from "./host-environment.ts";

describe("links made by the same command", () => {
	it.each([
		["ln -s README.md k; echo x > k", "write! k => README.md"],
		["ln README.md k && truncate -s 0 k", "write! k => README.md"],
		["ln -s ../.ssh k; cat k/id_rsa", "read k/id_rsa => ~/.ssh/id_rsa"],
		["ln -s ~/.ssh k && cd k && cat id_rsa", "read k/id_rsa => ~/.ssh/id_rsa"],
		["ln -s ../../.ssh src/k; cat src/k/id_rsa", "read src/k/id_rsa => ~/.ssh/id_rsa"],
		["(ln -s ~/.ssh k); cat k/id_rsa", "read k/id_rsa => ~/.ssh/id_rsa"],
		["ln -s k2 k; ln -s README.md k2; rm -f x; echo > k", "write! k => README.md"],
		["ln -s src s; ln -s one.ts src/k; rm -f s/k", "delete src/k => src/one.ts"],
		["ln -s src s; cd s; ln -s one.ts k; rm -f k", "delete src/k => src/one.ts"],
		["ln -s src s; ln -s one.ts s/k; mv README.md s/k", "write! src/k/** => src/one.ts"],
	])("%s", (command, expected) => {
		expect(accesses(shell(command))).toContain(expected);
	});

	it("link cycles terminate", () => {
		expect(() => shell("ln -s k k; cat k; ln -s p q; ln -s q p; cat p/x")).not.toThrow();
	});
});

describe("variables that make programs run something", () => {
	it.each([
		"PAGER='rm a' git log",
		"GIT_PAGER='rm a' git log",
		"MANPAGER='rm a' man ls",
		"EDITOR='rm a' git commit",
		"GIT_EDITOR='rm a' git commit",
		"GIT_SEQUENCE_EDITOR='rm a' git rebase -i main",
		"GIT_EXTERNAL_DIFF='rm a' git diff",
		"GIT_SSH_COMMAND='rm a' git fetch",
		"LESSOPEN='rm a' less b",
		"export PAGER='rm a'; git log",
		"export PAGER; PAGER='rm a'; git log",
		"env PAGER='rm a' git log",
		"man -P 'rm a' ls",
		"bat --pager 'rm a' b",
		"git -c core.pager='rm a' log",
		"git -c core.editor='rm a' commit",
		"git fetch --upload-pack='rm a' x",
		"git clone -u 'rm a' x",
		"git grep -O'rm a' x",
		"sort --compress-program='rm a' b",
		"mapfile -C 'rm a' -c 1 x < b",
		"x='$(rm a)'; echo \"${x@P}\"",
	])("%s", (command) => {
		expect(accesses(shell(command))).toContain("delete a");
	});

	it.each([
		"LD_PRELOAD=./x.so ls",
		"BASH_ENV=x bash -c ls",
		"NODE_OPTIONS='--require ./x.js' npm --version",
		"less '+!rm a' b",
	])("load unknown code: %s", (command) => {
		expect(doubts(shell(command))).toContain("script");
	});

	it.each([
		"PAGER=cat git log",
		"GIT_EDITOR=true git rebase --continue",
		"GIT_PAGER= git log",
		"FOO=bar ls",
		"NODE_OPTIONS=--max-old-space-size=4096 ls",
		"CI=1 ls",
	])("have harmless values: %s", (command) => {
		expect(doubts(shell(command))).toEqual([]);
	});
});

describe("programs that shadow others", () => {
	const disk = {
		"/home/me/project/evil/ls": "file",
		"/home/me/project/node_modules/.bin/tsc": "file",
		"/home/me/project/a": "file",
	};

	it("a project folder before the system's on PATH", () => {
		expect(doubts(shell("PATH=./evil:$PATH ls", { disk }))).toContain("script");
		expect(doubts(shell("export PATH=$PWD/evil:$PATH; ls", { disk }))).toContain("script");
		expect(doubts(shell("PATH=$(date):$PATH ls", { disk }))).toContain("script");
	});

	const env = { PATH: "/usr/bin:/bin" };

	it("a changed PATH makes programs unknown, except from folders of installed programs and from before the change", () => {
		expect(doubts(shell("PATH=./evil:$PATH cat a", { disk }))).toEqual(["script"]);
		expect(doubts(shell("PATH=$PATH:/usr/local/go/bin cat a", { disk, env }))).toEqual([]);
		expect(doubts(shell('PATH="$HOME/.local/bin:$PATH" cat a', { disk, env }))).toEqual([]);
		expect(doubts(shell("PATH=./node_modules/.bin:$PATH tsc", { disk, env }))).toEqual(["project"]);
	});

	it("an alias or function with a program's name", () => {
		expect(accesses(shell("hash -p /bin/rm ls; ls a"))).toContain("delete a");
		expect(accesses(shell("alias ls=rm; ls a"))).toContain("delete a");
		expect(accesses(shell('ls() { rm "$@"; }; ls a'))).toContain("delete a");
		expect(accesses(shell('ls() { rm "$@"; }; command ls a'))).toEqual(["list a"]);
	});
});
