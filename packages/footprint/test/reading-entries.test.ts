// Entries of the table that read, with each option that their own help names: what is judged as reading changes nothing in a real box.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { needsProgram } from "../../pi-chronicle/test/harness/needs.ts";
import { patient } from "../../pi-chronicle/test/harness/patience.ts";
import { deep } from "../../pi-chronicle/test/harness/runs.ts";
import { programGroups } from "../src/programs/table.ts";
import { shell } from "./host-environment.ts";
import { knowledgeOf } from "./knowledge.ts";

/** Programs that wait for a person or for time, or work on this machine as a whole. */
const unfit = new Set("yes sleep reset clear tput stty info less more most watch top htop suspend logout".split(" "));

const folders = (process.env.PATH ?? "").split(":");
const isInstalled = (name: string) => folders.some((folder) => existsSync(join(folder, name)));
const reads = (command: string) => knowledgeOf(shell(command)) === "reads";

const programs = [...new Set(programGroups.flatMap((group) => Object.keys(group).flatMap((names) => names.split(" "))))]
	.filter((name) => /^[\w.-]+$/.test(name) && !unfit.has(name) && isInstalled(name) && reads(`${name} a`))
	.sort();

const box = "bwrap";

/** `a` is a text, `x` a program that leaves a trace. */
const files = { a: "x y\n1 2\n", x: "#!/bin/sh\ntouch /box/ran\n" };

/** Runs commands without the rest of the disk, each in the folder as the ones before have left it; what the script prints, split at zero bytes. */
function inBox(commands: readonly string[], script: readonly string[]): readonly string[] {
	const folder = mkdtempSync(join(tmpdir(), "reading-"));
	try {
		writeFileSync(join(folder, "commands"), commands.map((command) => `${command}\0`).join(""));
		writeFileSync(join(folder, "run"), script.join("\n"));
		const system = ["/usr", "/bin", "/lib", "/lib64", "/sbin", "/etc"].flatMap((path) => ["--ro-bind-try", path, path]);
		const empty = ["/box", "/tmp", "/home"].flatMap((path) => ["--tmpfs", path]);
		const variables = Object.entries({ PATH: "/usr/local/bin:/usr/bin:/bin", HOME: "/home", LC_ALL: "C" });
		const { stdout } = spawnSync(
			box,
			[
				...[
					...system,
					...empty,
					"--proc",
					"/proc",
					"--remount-ro",
					"/proc",
					"--dev",
					"/dev",
					"--ro-bind",
					folder,
					"/given",
				],
				...["--unshare-all", "--die-with-parent", "--clearenv", "--chdir", "/box"],
				...variables.flatMap(([name, value]) => ["--setenv", name, value]),
				...["--", "bash", "/given/run"],
			],
			{ input: "", encoding: "utf8", maxBuffer: 1e8 },
		);
		return stdout.split("\0").slice(0, -1);
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

const forEach = (...body: readonly string[]) => [
	"while IFS= read -r -d '' command <&3; do",
	...body,
	"done 3< /given/commands",
];

const printing = forEach("timeout -s KILL 1 $command < /dev/null 2>&1 | tr -d '\\0'; printf '\\0'");

/** Prints the indices of commands that changed the folder, which begins anew then. */
const comparing = [
	"shopt -s dotglob",
	`begin() { rm -rf /box/*; ${Object.entries(files)
		.map(([name, text]) => `printf %s '${text}' > ${name}; chmod 755 ${name}`)
		.join("; ")}; }`,
	"begin; n=0",
	...forEach(
		'timeout -s KILL 1 bash -fc "$command" < /dev/null > /dev/null 2>&1; now=(*)',
		`if ! [[ "\${now[*]}" = "${Object.keys(files).join(" ")}" && ${Object.entries(files)
			.map(([name, text]) => `"$(<${name})" = '${text.trimEnd()}'`)
			.join(" && ")} ]] 2> /dev/null; then printf '%s\\0' $n; begin; fi`,
		"n=$((n+1))",
	),
];

/** The commands that change the folder: they are run at once in groups, and one by one in a group that changes it. */
function changingAmong(commands: readonly string[]): readonly string[] {
	const groups = Array.from({ length: Math.ceil(commands.length / GROUP) }, (_, at) =>
		commands.slice(at * GROUP, (at + 1) * GROUP),
	);
	const together = groups.map((group) => `${group.map((command) => `${command} &`).join(" ")} wait`);
	const suspects = inBox(together, comparing).flatMap((index) => groups[Number(index)] ?? []);
	return inBox(suspects, comparing).map((index) => suspects[Number(index)] ?? "");
}

const GROUP = 16;

/** A call with an option and a value that is a program. */
function callWith(program: string, option: string): string {
	return `${program} ${option}${option.startsWith("--") ? "=" : " "}./x a`;
}

it("an entry that reads changes nothing, with whichever of its options it is judged as reading", {
	...needsProgram(box),
	timeout: patient(deep ? 120_000 : 20_000),
}, () => {
	const chosen = deep ? programs : programs.filter((_name, index) => index % 40 === 0);
	const helps = inBox(
		chosen.map((name) => `${name} --help`),
		printing,
	);
	const forms = chosen.flatMap((name, index) => {
		const options = new Set(helps[index]?.match(/(?<![\w-])--?[A-Za-z0-9][\w-]*/g));
		return [...options].slice(0, deep ? 160 : 20).map((option) => callWith(name, option));
	});
	const harmless = forms.filter(reads);
	expect(harmless.length).toBeGreaterThan(chosen.length);
	expect(changingAmong(harmless)).toEqual([]);
});
