// Words of shell text: every spelling of a path gives the path.
import { describe, expect, it } from "vitest";
import { accesses, doubts, project, shell } from "./host-environment.ts";

const key = "read ~/.ssh/id_rsa";

describe("spellings", () => {
	it.each([
		["plain", "cat .env", "read .env"],
		["single quotes", "cat '.env'", "read .env"],
		["double quotes", 'cat ".env"', "read .env"],
		["empty quotes", "cat .e''nv", "read .env"],
		["empty double quotes", 'cat .e""nv', "read .env"],
		["backslash", "cat .e\\nv", "read .env"],
		["a line broken by a backslash", "cat .e\\\nnv", "read .env"],
		["ANSI-C", "cat $'\\x2eenv'", "read .env"],
		["ANSI-C octal", "cat $'\\056env'", "read .env"],
		["ANSI-C unicode", "cat $'\\u002eenv'", "read .env"],
		["locale", 'cat $".env"', "read .env"],
		["mixed", "cat .'e'\"n\"v", "read .env"],
		["braces", "cat .e{nv,}", ["read .env", "read .e"]],
		["braces without a prefix", "cat {.env,a}", ["read .env", "read a"]],
		["braces nested", "cat {.e{nv,x},a}", ["read .env", "read .ex", "read a"]],
		["braces with quotes inside", "cat {'.env',\"a\"}", ["read .env", "read a"]],
		["a sequence", "cat {a..c}", ["read a", "read b", "read c"]],
		["a numbered sequence", "cat f{08..10..2}", ["read f08", "read f10"]],
		["a quoted brace is none", "cat '{a,b}'", "read {a,b}"],
		["braces around one word are none", "cat {a}", "read {a}"],
		["a variable", "cat $HOME/.ssh/id_rsa", key],
		["braced", "cat ${HOME}/.ssh/id_rsa", key],
		["quoted", 'cat "$HOME/.ssh/id_rsa"', key],
		["tilde", "cat ~/.ssh/id_rsa", key],
		["tilde of a user", "cat ~me/.ssh/id_rsa", key],
		["quotes within", 'cat ~/.ss"h"/id_rsa', key],
		["glob", "cat *.pem", "read server.pem"],
		["glob with a class", "cat serve[qr].pe?", "read server.pem"],
		["glob in a folder", "cat src/*.ts", ["read src/one.ts", "read src/two.ts"]],
		["glob of folders", "cat s*/t*.ts", "read src/two.ts"],
		["glob of a hidden name", "cat .en?", "read .env"],
		["a star finds no hidden name", "cat *nv", "read *nv"],
		["a glob that finds nothing stays", "cat x*y", "read x*y"],
		["a quoted glob is none", "cat '*.pem'", "read *.pem"],
		["IFS", "cat${IFS}.env", "read .env"],
		["IFS within", "cat${IFS}$HOME/.ssh/id_rsa", key],
		["a substitution that echoes", "cat $(echo .env)", "read .env"],
		["backquotes", "cat `echo .env`", "read .env"],
		["nested", "cat $(echo $(echo .env))", "read .env"],
		["printf", "cat \"$(printf '%s%s' .e nv)\"", "read .env"],
		["pwd", "cat $(pwd)/.env", "read .env"],
		["PWD", 'cat "$PWD/.env"', "read .env"],
		["dirname", "cat $(dirname src/one.ts)/two.ts", "read src/two.ts"],
		["the repository's root", "cat $(git rev-parse --show-toplevel)/.env", "read .env"],
	])("%s: %s", (_what, command, expected) => {
		const reads = accesses(shell(command)).filter((line) => line.startsWith("read"));
		expect(reads).toEqual([expected].flat());
		expect(doubts(shell(command))).toEqual([]);
	});

	it("a quoted tilde is literal", () => {
		expect(shell("cat '~/x'").accesses[0]?.path).toBe(`${project}/~/x`);
	});
});

describe("expansions of variables", () => {
	it.each([
		["x=.env; cat $x", "read .env"],
		["x=.e; cat ${x}nv", "read .env"],
		["x=.e; x+=nv; cat $x", "read .env"],
		["cat ${x:-.env}", "read .env"],
		["cat ${x-.env}", "read .env"],
		["cat ${x:=.env}; cat $x", "read .env"],
		["x=1; cat ${x:+.env}", "read .env"],
		["x=.env.bak; cat ${x%.bak}", "read .env"],
		["x=a.b.c; cat ${x%%.*}", "read a"],
		["x=dir/.env; cat ${x#*/}", "read .env"],
		["x=a/b/.env; cat ${x##*/}", "read .env"],
		["x=Qenv; cat ${x/Q/.}", "read .env"],
		["x=QeQnv; cat ${x//Q/}", "read env"],
		["x=xx.envyy; cat ${x:2:4}", "read .env"],
		["x=.ENV; cat ${x,,}", "read .env"],
		["x=b; cat ${x^^}", "read B"],
		["y=.env; x=y; cat ${!x}", "read .env"],
		["list=(a .env); cat ${list[1]}", "read .env"],
		['list=(.env); cat "${list[@]}"', "read .env"],
		["x='a .env'; cat $x", ["read a", "read .env"]],
		['x="a b"; cat "$x"', "read a b"],
		["IFS=:; x=a:.env; cat $x", ["read a", "read .env"]],
		["x='*.pem'; cat $x", "read server.pem"],
		["set -- .env; cat $1", "read .env"],
		['set -- a .env; cat "$@"', ["read a", "read .env"]],
		["set -- a .env; shift; cat $1", "read .env"],
		["export x=.env; cat $x", "read .env"],
		["declare x=.env; cat $x", "read .env"],
		["read x <<< .env; cat $x", "read .env"],
		["printf -v x .env; echo", []],
	])("%s", (command, expected) => {
		const reads = accesses(shell(command)).filter((line) => line.startsWith("read"));
		expect([...new Set(reads)]).toEqual([expected].flat());
	});

	it("an unset variable is empty, unless unknown code may have set it", () => {
		expect(doubts(shell("cat $nothing/x"))).toEqual([]);
		expect(doubts(shell("source setup.sh; cat $nothing/x"))).toEqual(["file", "operand"]);
	});

	it("a variable that the host calls volatile is unknown, until the script sets it", () => {
		const place = { env: { AGENT_DIR: "/tmp" } };
		expect(doubts(shell("cat $AGENT_DIR/x", place))).toEqual(["operand"]);
		expect(accesses(shell("AGENT_DIR=src; cat $AGENT_DIR/x", place))).toEqual(["read src/x"]);
	});

	it.each([
		"cat $RANDOM",
		"cat $(date)",
		"cat $(curl x)",
		"cat $!",
		"cat $REPLY",
		"x=$(date); cat $x",
		"x=a; x+=$(date); cat $x",
		"read -r x < file; cat $x",
		"for f in $(date); do cat $f; done",
		'x=$(date); y=x; cat "${!y}"',
		"cat $((RANDOM % 3))",
	])("an unknowable value is unknown: %s", (command) => {
		expect(doubts(shell(command))).toContain("operand");
	});
});

describe("partly known words", () => {
	it("keep their known folder", () => {
		expect(shell("cat src/$(date)/x").unknowns[0]).toMatchObject({
			what: "operand",
			may: ["read"],
			under: "/home/me/project/src",
		});
	});
	it("keep their known ending", () => {
		expect(shell("rm $(date)/.ssh/id_rsa").unknowns[0]).toMatchObject({ may: ["delete"], tail: ".ssh/id_rsa" });
	});
	it("keep neither if they could be anywhere", () => {
		expect(shell("cat $(date)").unknowns[0]).toEqual({ what: "operand", text: "…", may: ["read"] });
	});
});
