// A project in a home directory of its own, and commands in real boxes of it.
import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { hostEnvironment } from "../../../src/pi/index.ts";
import { type ConfinementOptions, openConfinement, probeSandbox } from "../../../src/safety/index.ts";
import { openFolder } from "../../harness/folder.ts";
import { type Files, writeFiles } from "../../harness/project.ts";

export const sandbox = await probeSandbox();

type Scope = "project" | "ignored" | "temporary";

export interface BoxOptions extends Partial<Omit<ConfinementOptions, "host" | "probe">> {
	/** Below the home directory. */
	readonly files?: Files;
	/** The project, below the home directory. */
	readonly at?: string;
	/** The working folder, below the project. */
	readonly below?: string;
	/** Runs before the box is opened, outside, in the project. */
	readonly before?: string;
	readonly env?: Readonly<Record<string, string>>;
}

export interface Ran {
	readonly code: number | null;
	/** Output and errors. */
	readonly text: string;
	/** What the reader of a failing call is told. */
	readonly told: string | undefined;
}

export interface TestBox {
	readonly home: string;
	readonly project: string;
	/** Runs a command in the box. */
	run(command: string, scope?: Scope, network?: "open" | "off"): Promise<Ran>;
	/** Runs a command outside of it. */
	outside(command: string): string;
}

/** Opens a box in a folder of the test; its home directory is new. */
export function openTestBox({
	files = {},
	at = "project",
	below = "",
	before,
	env,
	...more
}: BoxOptions = {}): TestBox {
	if (!sandbox) throw new Error("no sandbox");
	const base = openFolder();
	const home = join(base, "home");
	const project = join(home, at);
	const cwd = join(project, below);
	mkdirSync(cwd, { recursive: true });
	writeFiles(home, { ".gitconfig": "[user]\n\tname = A\n\temail = a@example.org\n", ...files });
	const variables: NodeJS.ProcessEnv = { PATH: process.env.PATH, HOME: home, LANG: "C.UTF-8", ...env };
	const outside = (command: string): string => {
		const ran = spawnSync("bash", ["-c", command], { cwd: project, env: variables, encoding: "utf8" });
		if (ran.status !== 0) throw new Error(`${command}: ${ran.stdout}${ran.stderr}`);
		return ran.stdout;
	};
	if (before !== undefined) outside(before);
	const host = { ...hostEnvironment(cwd), home, env: (name: string) => variables[name] };
	const box = openConfinement({ root: project, folder: join(base, "run"), ...more, host, probe: sandbox });
	mkdirSync(dirname(project), { recursive: true });
	return {
		home,
		project,
		outside,
		async run(command, scope = "project", network = "open") {
			const confined = await box.confine(command, { scope, network });
			const ran = spawnSync("bash", ["-c", confined.command], {
				cwd,
				env: variables,
				encoding: "utf8",
				timeout: 120_000,
				// bash reads the user's start-up files if its input is a socket.
				stdio: ["ignore", "pipe", "pipe"],
			});
			return { code: ran.status, text: `${ran.stdout}${ran.stderr}`, told: confined.ended(ran.status !== 0) };
		},
	};
}
