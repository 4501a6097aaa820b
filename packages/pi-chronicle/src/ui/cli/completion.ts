// `pi-chronicle completion bash|zsh|fish`: the script that makes a shell complete this command. The script asks
// `pi-chronicle completion candidates -- <words>` for the candidates.

import { templateFolders, templateNames } from "../../local/index.ts";
import { exitCodes } from "../../pi/index.ts";
import { commonUsage, type ListedCommand } from "../command-list.ts";
import { commands, completeLine } from "../commands/index.ts";
import { isComplaint, openPlace } from "./place.ts";

const scripts: Readonly<Record<string, string>> = {
	bash: `_pi_chronicle() {
	local IFS=$'\\n'
	COMPREPLY=($(pi-chronicle completion candidates -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f1))
}
complete -F _pi_chronicle pi-chronicle
`,
	zsh: `#compdef pi-chronicle
_pi_chronicle() {
	local -a found
	local line
	while IFS= read -r line; do found+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}"); done < <(pi-chronicle completion candidates -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
	_describe 'pi-chronicle' found
}
compdef _pi_chronicle pi-chronicle
`,
	fish: `complete -c pi-chronicle -f -a '(pi-chronicle completion candidates -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'
`,
};

const usage = `pi-chronicle completion bash | zsh | fish

Prints a script that completes commands, templates, runs and states. Load it in the shell's startup file:

  bash  source <(pi-chronicle completion bash)          in ~/.bashrc
  zsh   source <(pi-chronicle completion zsh)           in ~/.zshrc, after compinit
  fish  pi-chronicle completion fish | source           in ~/.config/fish/config.fish

Exit code: 0, 2 unsupported shell.
`;

/** Runs `completion`; resolves to the exit code. `listed`: every command of the command line. */
export async function runCompletion(args: readonly string[], listed: readonly ListedCommand[]): Promise<number> {
	const [shell = "", separator, ...words] = args;
	if (shell === "candidates") {
		for (const line of await candidates(separator === "--" ? words : [], listed)) process.stdout.write(`${line}\n`);
		return exitCodes.done;
	}
	const script = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined;
	const isHelp = shell === "--help" || shell === "-h";
	if (script === undefined) (isHelp ? process.stdout : process.stderr).write(usage);
	else process.stdout.write(script);
	return script === undefined && !isHelp ? exitCodes.usage : exitCodes.done;
}

/** The candidates for the last word: one per line, with its description after a tab. */
async function candidates(words: readonly string[], listed: readonly ListedCommand[]): Promise<string[]> {
	const project = openPlace({ cwd: process.cwd(), trust: "as saved", pi: undefined }, "nothing");
	if (isComplaint(project)) return [];
	const { cwd, agentFolder, trust } = project.place;
	const found = await completeLine(project, words.join(" "), {
		listed,
		templates: () => templateNames(templateFolders({ cwd, agentFolder, trusted: trust === "trusted" })),
		commands: commands.map((command) => ({
			...command,
			options: `${commonUsage(true)}${command.shellOptions ?? ""}${command.options ?? ""}`,
		})),
		takesTemplate: new Set(["run", "show", "check", "rehearse"]),
		startsByName: false,
		supervised: [],
	});
	return (found ?? []).map(({ label, description = "" }) => `${label}\t${description.replaceAll(/\s+/g, " ")}`);
}
