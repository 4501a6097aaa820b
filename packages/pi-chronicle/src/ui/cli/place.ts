// The project that a command works on: its folder, pi, the user's own folders, and whether the project is trusted; and the beginning of every command
// that is printed, which repeats the options that chose it. It holds no secret.

import { statSync } from "node:fs";
import { homedir } from "node:os";
import { resolve } from "node:path";
import { attempt } from "../../disk/index.ts";
import { engineArgs, openProject, type Project, type ProjectEnvironment } from "../../local/index.ts";
import { agentFolder, findPi, isPiCommand, ownPiSearch, type PiCommand, projectTrust } from "../../pi/index.ts";
import type { Complaint, ParsedArguments } from "../commands/index.ts";
import { commandWord } from "../phrases/index.ts";

export interface PlaceOptions {
	readonly cwd: string;
	readonly trust: "trusted" | "untrusted" | "as saved";
	readonly pi: string | undefined;
	/** Precedes the commands that failures name. */
	readonly shell?: string;
}

export function placeOptions({ flags, values }: ParsedArguments): PlaceOptions {
	return {
		cwd: resolve(values.cwd ?? "."),
		trust: flags.has("approve") ? "trusted" : flags.has("no-approve") ? "untrusted" : "as saved",
		pi: values.pi,
	};
}

/** Whether pi trusts the project in `cwd` without an option. */
export function savedTrust(cwd: string): "trusted" | "untrusted" {
	return projectTrust({ cwd, home: homedir(), agentFolder: agentFolder() });
}

/** Opens the project. A command that `needs` nothing also works without pi. */
export function openPlace({ cwd, trust, pi, shell }: PlaceOptions, needs: "pi" | "nothing"): Project | Complaint {
	// Not one: missing, a link loop, or not accessible.
	if (!attempt(() => statSync(cwd).isDirectory()))
		return {
			code: "no-folder",
			message: `The folder ${cwd} does not exist.`,
			remedy: "Pass the project's folder with --cwd.",
		};
	let found = needs === "pi" ? findPi(ownPiSearch(pi)) : undefined;
	if (found && !isPiCommand(found)) return { code: found.code, message: found.message, remedy: found.remedy };
	const home = homedir();
	const agents = agentFolder();
	const place: ProjectEnvironment = {
		cwd,
		home,
		agentFolder: agents,
		trust: trust === "as saved" ? savedTrust(cwd) : trust,
		// The search may start a program: it waits until pi is used.
		get pi() {
			found ??= findPi(ownPiSearch(pi));
			return isPiCommand(found) ? found : noPi;
		},
		env: process.env,
		shell,
	};
	return openProject(place);
}

/** What a place has where there is no pi; starting it fails with this name. */
const noPi: PiCommand = { command: "pi-was-not-found", args: [], version: undefined };

export function isComplaint(value: Project | Complaint): value is Complaint {
	return "code" in value;
}

export interface ShellPrefix {
	/** `pi-chronicle `, with the options. */
	readonly text: string;
	/** For users of printed commands: where these get the password that they leave out. */
	readonly note?: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** `saved`: whether pi trusts the project without an option; one that says the same is not repeated. */
export function shellPrefix(
	{ values, flags }: Pick<ParsedArguments, "values" | "flags">,
	env: Environment,
	saved: "trusted" | "untrusted",
): ShellPrefix {
	const { cwd, pi } = values;
	const opposite = saved === "trusted" ? "no-approve" : "approve";
	const trust = flags.has(opposite) ? [`--${opposite}`] : [];
	const { args, note } = argsOfEngine(values, env);
	const places = Object.entries({ cwd, pi }).flatMap(([name, value]) =>
		value === undefined ? [] : [`--${name}`, commandWord(value)],
	);
	return {
		text: ["pi-chronicle", ...places, ...trust, ...args, ""].join(" "),
		note,
	};
}

const variable = "PI_CHRONICLE_ENGINE";

function argsOfEngine(
	values: Readonly<Record<string, string>>,
	env: Environment,
): { readonly args: readonly string[]; readonly note?: string } {
	const url = values.engine ?? env[variable];
	const isUsed = url !== undefined && url !== "";
	const project = values.project ?? (isUsed ? env.PI_CHRONICLE_PROJECT : undefined);
	const [, address = ""] = isUsed ? engineArgs({ engine: url }) : [];
	const ofProject = engineArgs({ project }).map(commandWord);
	if (!isUsed) return { args: ofProject };
	if (address === url) return { args: ["--engine", commandWord(url), ...ofProject] };
	// A variable that holds a password is repeated by its name.
	if (values.engine === undefined || values.engine === env[variable])
		return { args: ["--engine", `"$${variable}"`, ...ofProject] };
	const args = ["--engine", commandWord(address), ...ofProject];
	return env.PGPASSWORD === undefined
		? {
				args,
				note: `The command leaves out the password of --engine: set PGPASSWORD or ~/.pgpass, or put the address into ${variable} or the setting chronicle.engine.`,
			}
		: { args };
}
