// What a hostile command in the sandbox tries: each attack really runs, and the disk outside decides.
import { spawnSync } from "node:child_process";
import { existsSync, lstatSync, mkdtempSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { needsProgram } from "../../harness/needs.ts";
import { openTestBox, sandbox, type TestBox } from "./box.ts";

/** Everything below a folder, with links as they are; what git stores is left out. */
function contents(folder: string): Record<string, string> {
	const found: Record<string, string> = {};
	const walk = (path: string): void => {
		const stat = lstatSync(path);
		if (stat.isSymbolicLink()) found[path] = `-> ${readlinkSync(path)}`;
		else if (stat.isDirectory()) for (const name of readdirSync(path)) walk(join(path, name));
		else if (stat.isFile()) found[path] = readFileSync(path, "latin1");
	};
	walk(folder);
	return found;
}

const plant = "printf '#!/bin/sh\\ntouch /tmp/planted\\n'";
const begin = "git init -q -b main && git add -A && git commit -qm one && ln -s conf/gemini .gemini";

describe("a hostile command in the sandbox", needsProgram("bwrap", sandbox), () => {
	let box: TestBox;
	let before: Record<string, string>;
	let other: string;
	const own =
		/\/project\/(?!\.git\/|\.pi|\.claude|\.codex|\.mcp|AGENTS|CLAUDE|GEMINI|\.gemini|\.cursor|conf\/gemini|sub\/\.git\/)/;
	const state = () =>
		Object.fromEntries(
			Object.entries(contents(box.home)).filter(
				([path]) => !own.test(path) && !/\.git\/(objects|refs|logs|index|HEAD|COMMIT_EDITMSG|ORIG_HEAD)/.test(path),
			),
		);

	beforeAll(() => {
		box = openTestBox({
			files: {
				".ssh/id_rsa": "MARK-KEY\n",
				".pi/agent/auth.json": "MARK-KEY\n",
				".bashrc": "# mine\n",
				"other/a.txt": "other\n",
				"project/a.txt": "a\n",
				"project/.pi/rules.yaml": "mine\n",
				"project/AGENTS.md": "mine\n",
				"project/conf/gemini/settings.json": "{}\n",
				"project/secret.env": "MARK-KEY\n",
			},
			before: begin,
			env: { SSH_AUTH_SOCK: "/tmp/ssh-none/agent.1" },
			closed: () => Promise.resolve([join(box.project, "secret.env")]),
		});
		other = join(box.home, "other");
		before = state();
	});
	afterAll(() => expect(existsSync("/tmp/planted")).toBe(false));

	it.each([
		["a hook", `${plant} > .git/hooks/post-commit; chmod +x .git/hooks/post-commit`],
		["a hook by moving the repository away", `mv .git g; cp -r g .git; ${plant} > .git/hooks/pre-commit`],
		["a hook by moving the folder of hooks", `mv .git/hooks .git/h; mkdir .git/hooks; ${plant} > .git/hooks/pre-push`],
		[
			"a hook by moving the project",
			`cd ..; mv project p; mkdir -p project/.git/hooks; ${plant} > project/.git/hooks/x`,
		],
		["git's settings", "git config core.hooksPath evil; git config core.fsmonitor evil; echo '[alias]' >> .git/config"],
		[
			"git's settings by a lock and a rename",
			"cp .git/config c; echo '[core]' >> c; mv -f c .git/config; rm -f .git/config",
		],
		["another common folder of git", "mkdir -p e/hooks && cp .git/config e/ && echo ../e > .git/commondir"],
		["settings of a worktree", "echo '[core]' > .git/config.worktree"],
		[
			"rules of the guard",
			"echo x > .pi/rules.yaml; rm -rf .pi; mv .pi q; mkdir -p .pi/chronicle && echo x > .pi/chronicle/t",
		],
		[
			"settings of agents that do not exist",
			"mkdir -p .claude .codex && echo '{}' > .claude/settings.json; echo x > .codex/config",
		],
		["servers and instructions that do not exist", "echo '{}' > .mcp.json; ln -s a.txt CLAUDE.md; mkdir .cursorrules"],
		[
			"instructions that exist",
			"echo evil > AGENTS.md; ln -sf a.txt AGENTS.md; sed -i s/mine/evil/ AGENTS.md; rm -f AGENTS.md",
		],
		[
			"settings behind a link",
			"rm .gemini; mkdir .gemini; echo '{}' > .gemini/settings.json; echo x > conf/gemini/settings.json",
		],
		[
			"the shell's start-up files",
			"echo evil >> ~/.bashrc; echo evil > ~/.profile; mkdir -p ~/.config/autostart; echo x > ~/.config/autostart/x",
		],
		["another project", "echo evil > ../other/a.txt; rm -rf ../other; ln -s ../other o; echo evil > o/a.txt"],
		["other mounts", "mount -o remount,rw / ; mount -o remount,rw,bind .git/hooks; umount -l .git/hooks .pi AGENTS.md"],
		[
			"a new user namespace",
			`unshare -Urm sh -c 'mount -o remount,rw,bind .git/hooks; umount .pi; ${plant.replaceAll("'", '"')} > .git/hooks/x'`,
		],
		[
			"the files of other processes",
			"for p in /proc/[0-9]*; do echo x > $p/root/etc/planted; echo x > $p/cwd/../other/a.txt; done",
		],
		["kernel settings and devices", "mount -o remount,rw /proc; umount /proc; mknod d b 8 0; ls /dev/sd* /dev/vd*"],
	])("cannot change %s", async (_what, command) => {
		const { text } = await box.run(`(${command}) >/dev/null 2>&1; echo tried`);
		expect(text).toBe("tried\n");
		expect(state()).toEqual(before);
	});

	it.each([
		["a key", "cat ~/.ssh/id_rsa"],
		["a login", "cat ~/.pi/agent/auth.json"],
		["a key by a link", "ln -s ~/.ssh k; cat k/id_rsa"],
		["a key by a hard link", "ln ~/.ssh/id_rsa k2; cat k2"],
		["another project's file", "cat ../other/a.txt | sed s/other/MARK-KEY/"],
		["a closed file", "cat secret.env; cp secret.env copy && cat copy; ln secret.env hard && cat hard"],
		["files by other processes", "cat /proc/*/root/$HOME/.ssh/id_rsa /proc/*/cwd/../.ssh/id_rsa"],
		["the agent's address", 'echo "${SSH_AUTH_SOCK:+MARK-KEY}"'],
	])("cannot read %s", async (_what, command) => {
		const { text } = await box.run(`(${command}) 2>&1; echo tried`);
		expect(text).toMatch(/tried\n$/);
		expect(text).not.toContain("MARK-KEY");
	});

	it.each([
		["a file `.git`", "echo gitdir: ~/.ssh > .git"],
		["a link `.git`", "ln -s ~/.ssh .git"],
		["another store of objects", "git init -q; mkdir -p .git/objects/info; echo ~/.ssh > .git/objects/info/alternates"],
	])("opens nothing to the next command by %s", async (_what, command) => {
		const mine = openTestBox({ files: { ".ssh/id_rsa": "MARK-KEY\n", "project/a.txt": "a\n" } });
		expect((await mine.run(command)).code).toBe(0);
		expect((await mine.run("cat ~/.ssh/id_rsa; echo evil > ~/.ssh/evil")).text).not.toContain("MARK-KEY");
		expect(mine.outside("ls ~/.ssh")).toBe("id_rsa\n");
	});

	it.each(["core.hooksPath /opt/none/hooks", "include.path ../.none"])(
		"runs git where its settings name what does not exist: %s",
		async (setting) => {
			const mine = openTestBox({ files: { "project/a.txt": "a\n" }, before: `git init -q && git config ${setting}` });
			expect(await mine.run("git status --short")).toMatchObject({ code: 0, text: "?? a.txt\n" });
		},
	);

	// Asks only: a write would change the machine if it were not refused.
	it("may write no file of the kernel", async () => {
		const own = "-path '/proc/[0-9]*' -o -path /proc/self -o -path /proc/thread-self";
		const { text } = await box.run(
			`test -r /proc/sys/kernel/core_pattern && find /proc /sys \\( ${own} \\) -prune -o -type f -writable -print 2>/dev/null | head -5`,
		);
		expect(text).toBe("");
		expect((await box.run("test -e /proc/self/status")).code).toBe(0);
	});

	it("sees only its own processes, and ends none outside", async () => {
		const { text } = await box.run(`set -- /proc/[0-9]*; echo $#; kill -9 ${process.pid} 2>&1; kill -9 -1`);
		expect(Number(text.split("\n")[0])).toBeLessThan(6);
		expect(text).toContain("No such process");
	});

	it("does not find the sockets of agents and services", async () => {
		const folder = mkdtempSync("/tmp/ssh-chronicle-test-");
		const server = createServer().listen(join(folder, "agent.1"));
		try {
			const { text } = await box.run(`ls ${folder} /run /var/run /tmp/.X11-unix 2>&1; true`);
			expect(text).not.toMatch(/agent\.1|docker|dbus|systemd|user/);
		} finally {
			server.close();
			spawnSync("rm", ["-rf", folder]);
		}
		expect(other).toContain("other");
	});

	it("takes nothing of the project: it writes there, commits, and finds what it stored at home again", async () => {
		const made = await box.run("echo b > b.txt && git add b.txt && git commit -qm two && echo kept > ~/.cache/mine");
		expect(made).toMatchObject({ code: 0, told: undefined });
		expect((await box.run("cat ~/.cache/mine")).text).toBe("kept\n");
		// Elsewhere it would seem to be kept.
		expect((await box.run("echo lost > ~/mine")).code).not.toBe(0);
		expect(existsSync(join(box.home, ".cache"))).toBe(false);
		expect(box.outside("git status --short b.txt")).toBe("");
	});

	it.each(["", "[core]\n\texcludesFile = ~/.ignored\n"])(
		"does not commit the user's settings of pi with `add -A` (%j)",
		async (config) => {
			const files = { ".gitconfig": `[user]\n\tname = A\n\temail = a@example.org\n${config}`, ".ignored": "*.log\n" };
			const mine = openTestBox({
				files,
				before: "git init -q && mkdir .pi && echo x > .pi/rules.yaml && echo x > x.txt",
			});
			expect((await mine.run("git add -A && git commit -qm one && git ls-files && git status --short")).text).toBe(
				"x.txt\n",
			);
		},
	);

	it("is told when it fails, and what was taken away", async () => {
		const failed = await box.run("echo '{}' > .mcp.json; exit 3");
		expect(failed.code).toBe(3);
		expect(failed.told).toContain(`This ran in a sandbox; it can write only to ${box.project} and temporary folders.`);
		expect(failed.told).toContain(".mcp.json");
		expect(existsSync(join(box.project, ".mcp.json"))).toBe(false);
	});
});
