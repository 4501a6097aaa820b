// Commands that run other commands: the inner command is judged like the same command alone.
import { describe, expect, it } from "vitest";
import { accesses, doubts, harms, shell } from "./host-environment.ts";

const deletes = (command: string) => accesses(shell(command)).filter((line) => line.startsWith("delete"));

describe("wrappers", () => {
	it.each([
		"sudo rm a",
		"sudo -u root rm a",
		"sudo -u root -g wheel -- rm a",
		"sudo -n -E A=b rm a",
		"sudo -iu root rm a",
		"sudo bash -c 'rm a'",
		"sudo sh <<< 'rm a'",
		"sudo -s <<< 'rm a'",
		"doas rm a",
		"doas -u me rm a",
		"su -c 'rm a'",
		"su root -c 'rm a'",
		"su - me -c 'rm a'",
		"runuser -u me -- rm a",
		"pkexec rm a",
		"env rm a",
		"env A=b rm a",
		"env -i A=b C=d rm a",
		"env - rm a",
		"env -u A rm a",
		"env -S 'rm a'",
		"env -S 'rm' a",
		"env -iS 'A=b rm a'",
		"env --split-string='rm a'",
		"env -- rm a",
		"/usr/bin/env rm a",
		"nice rm a",
		"nice -n 5 rm a",
		"nice -5 rm a",
		"nice --adjustment=5 rm a",
		"ionice -c 3 rm a",
		"ionice -c2 -n7 rm a",
		"chrt -i 0 rm a",
		"taskset -c 0 rm a",
		"timeout 5 rm a",
		"timeout -s KILL 5s rm a",
		"timeout -k 1 5 rm a",
		"timeout --preserve-status --signal=INT 5 rm a",
		"nohup rm a",
		"nohup rm a > /dev/null &",
		"setsid rm a",
		"setsid -w rm a",
		"stdbuf -oL rm a",
		"stdbuf -o L -e0 rm a",
		"command time -p rm a",
		"/usr/bin/time -f %e rm a",
		"xargs rm < /dev/null || rm a",
		"echo a | xargs rm",
		"echo a | xargs -n 1 rm",
		"echo a | xargs -I{} rm {}",
		"echo a | xargs -I % sh -c 'rm %'",
		"printf 'a\\0' | xargs -0 rm",
		"echo a | xargs -P4 -n1 -t rm -v",
		"echo a | xargs -d '\\n' rm",
		"echo a | xargs --max-args=1 rm",
		"echo a | xargs sudo rm",
		"busybox rm a",
		"toybox rm a",
		"find a -exec rm {} \\; || rm a",
		"strace -f -o /dev/null rm a",
		"strace -e trace=file rm a",
		"ltrace rm a",
		"flock /tmp/lock rm a",
		"flock /tmp/lock -c 'rm a'",
		"flock -w 5 /tmp/lock rm a",
		"script -c 'rm a' /dev/null",
		"script -q /dev/null rm a",
		"watch rm a",
		"watch -n 1 'rm a'",
		"chroot / rm a",
		"unshare -r rm a",
		"parallel rm ::: a",
		"parallel 'rm {}' ::: a",
		"parallel -j4 rm {} ::: a",
		"echo a | parallel rm",
		"xvfb-run -a rm a",
		"systemd-run --user rm a",
		"dotenv -- rm a",
		"cross-env A=b rm a",
		"npx rm a || rm a",
		"nice sudo env A=b timeout 5 nohup rm a",
		"sudo -u root env A=b bash -c 'nice rm a'",
		"git bisect run rm a",
		"git -c alias.x='!rm a' x",
		"git submodule foreach 'rm a'",
		"git rebase -x 'rm a' main",
		"uv run rm a",
		"poetry run rm a",
		"bundle exec rm a",
		"watch -n1 -- rm a",
		"make -C . x; rm a",
		"hyperfine 'rm a'",
		"fzf --preview 'rm a'",
		"tar cf /dev/null --checkpoint-action=exec='rm a' b",
		"tar xf b --to-command='rm a'",
		"ssh -o ProxyCommand='rm a' host",
		"split --filter='rm a' b",
		"awk 'BEGIN { system(\"rm a\") }'",
		"awk 'BEGIN { \"rm a\" | getline x }'",
		"sed '1e rm a' b",
		"tmux new-session -d 'rm a'",
	])("%s", (command) => {
		expect(deletes(command)).toContain("delete a");
	});

	it.each(["sudo rm a", "doas rm a", "su -c 'rm a'", "pkexec rm a", "sudo -E env A=b rm a", "gosu root rm a"])(
		"with another user's privileges are a harm: %s",
		(command) => {
			expect(harms(shell(command))).toContain("privilege");
		},
	);

	it("add no effect of their own", () => {
		const programs = shell("timeout 5 nice env A=b rm -rf src").runs.map((run) => run.text);
		expect(programs).toEqual(["rm -rf src"]);
	});

	it("keep their options apart from the command's", () => {
		expect(harms(shell("xargs -r rm a < f"))).toEqual([]);
		expect(harms(shell("xargs rm -r < f"))).toEqual(["recursive-delete"]);
	});
});

describe("commands run by a search", () => {
	it.each([
		["find src -name '*.ts' -exec cat {} \\;", "read src/**"],
		["find src -name '*.ts' -exec cat {} +", "read src/**"],
		["find src -exec sh -c 'cat \"$1\"' _ {} \\;", "read src/**"],
		["find src | xargs cat", "read src/**"],
		["find src -print0 | xargs -0 cat", "read src/**"],
		['find src | while read -r f; do cat "$f"; done', "read src/**"],
		['for f in $(find src); do cat "$f"; done', "read src/**"],
		["cat $(find src -name x)", "read src/**"],
		["rg -l x src | xargs cat", "read src/**"],
		["grep -rl x src | xargs cat", "read src/**"],
		["fd . src | xargs cat", "read src/**"],
		["fd -e ts . src -x cat", "read src/**"],
		["git ls-files src | xargs cat", "read src/**"],
		["git grep -l x | xargs cat", "read ./**"],
		["find src -delete", "delete src/**"],
		["find src -type f -exec rm {} \\;", "delete src/**"],
		["find src -name '*.ts' | xargs rm", "delete src/**"],
		["find src -name '*.ts' -print0 | xargs -0 rm -f", "delete src/**"],
		["find . -fprint out", "write! out"],
		["find src -type f -exec sed -i s/a/b/ {} +", "write src/**"],
	])("%s", (command, expected) => {
		expect(accesses(shell(command))).toContain(expected);
		expect(doubts(shell(command))).toEqual([]);
	});

	it.each([
		"find src -delete",
		"find . -name x -delete",
		"find . -xtype f -delete",
		"find . ! -empty -delete",
		"find . -delete -empty",
		"find src -exec rm {} \\;",
		"find src -exec rm -rf {} +",
		"find src | xargs rm",
		"fd x -X rm",
	])("a removal of found files is a removal of many: %s", (command) => {
		expect(harms(shell(command)).some((harm) => harm === "recursive-delete" || harm === "delete-found")).toBe(true);
	});

	it.each(["find . -empty -delete", "find . -type d -empty -delete", "find . -xtype l -delete"])(
		"a removal of empty files or dangling links is not: %s",
		(command) => {
			expect(harms(shell(command))).toEqual([]);
		},
	);

	it.each([
		"-exec cat {} \\;",
		"-exec cat {} +",
		"-exec cat + {} +",
		"-execdir cat {} \\; -ok cat {} \\;",
		"-fprint x",
		"-fprintf x '%p'",
		"-newer a",
		"-print",
	])("an action after %s is judged too", (before) => {
		expect(harms(shell(`find src ${before} -delete`))).toContain("recursive-delete");
		expect(harms(shell(`find src ${before} -exec rm {} \\;`))).toContain("delete-found");
		expect(accesses(shell(`find src ${before} -fls y`))).toContain("write! y");
	});

	it.each([
		"-exec echo -delete \\;",
		"-exec echo {} -delete +",
		"-fprint -delete",
		"-fprintf x -delete",
		"-newer -delete",
	])("a value is no action: %s", (expression) => {
		expect(harms(shell(`find src ${expression}`))).toEqual([]);
	});

	it.each([
		["find . -name '*.ts'", ["*.ts"]],
		["find . -type f -name '*.ts' -newer a", ["*.ts"]],
		["find . \\( -name a -o -name b \\)", ["a", "b"]],
		["find . -not -path '*/x/*' -name a", ["a", "!x/"]],
		["find . -name '*.json' ! -name package-lock.json", ["*.json", "!package-lock.json"]],
		["find . ! -path ./x -name a", ["a"]],
		["find . -iname ab", ["[aA][bB]"]],
		["find . -name a -o -type f", undefined],
		["find . ! -name a", undefined],
		["find .", undefined],
	])("%s is limited to %j", (command, only) => {
		expect(shell(command).accesses[0]?.only).toEqual(only);
	});
});
