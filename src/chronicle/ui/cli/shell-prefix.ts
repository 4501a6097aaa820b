// The beginning of every command that the command line prints: it repeats the options that chose project and engine, so that the command works as
// printed. It holds no secret.
import { engineWords } from "../../engine/index.ts";
import type { ParsedArguments } from "../commands/index.ts";

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
	const { words, note } = wordsOfEngine(values, env);
	const places = Object.entries({ cwd, pi }).flatMap(([name, value]) =>
		value === undefined ? [] : [`--${name}`, shellWord(value)],
	);
	return {
		text: ["pi-chronicle", ...places, ...trust, ...words, ""].join(" "),
		...(note === undefined ? {} : { note }),
	};
}

const variable = "PI_CHRONICLE_ENGINE";

function wordsOfEngine(
	values: Readonly<Record<string, string>>,
	env: Environment,
): { readonly words: readonly string[]; readonly note?: string } {
	const url = values.engine ?? env[variable];
	const isUsed = url !== undefined && url !== "";
	const project = values.project ?? (isUsed ? env.PI_CHRONICLE_PROJECT : undefined);
	const [, address = ""] = isUsed ? engineWords({ engine: url }) : [];
	const ofProject = engineWords({ ...(project === undefined ? {} : { project }) }).map(shellWord);
	if (!isUsed) return { words: ofProject };
	if (address === url) return { words: ["--engine", shellWord(url), ...ofProject] };
	// A variable that holds a password is repeated by its name.
	if (values.engine === undefined || values.engine === env[variable])
		return { words: ["--engine", `"$${variable}"`, ...ofProject] };
	const words = ["--engine", shellWord(address), ...ofProject];
	return env.PGPASSWORD === undefined
		? {
				words,
				note: `The command leaves out the password of --engine: set PGPASSWORD or ~/.pgpass, or put the address into ${variable} or the setting chronicle.engine.`,
			}
		: { words };
}

/** One word of a shell. */
export function shellWord(text: string): string {
	return /^[\w@+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
