// The beginning of every command that the command line prints: it repeats the options that chose project and engine, so that the command works as
// printed. It holds no secret.
import { engineArgs } from "../../engine/index.ts";
import type { ParsedArguments } from "../commands/index.ts";
import { commandWord } from "../phrases/index.ts";

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
