// The commands of `/chronicle`: those of the command line, and those that only a session has. `start <name>` starts a template that shares
// its name with a command.

import { checkTemplates } from "../../local/index.ts";
import { exitCodes } from "../../pi/index.ts";
import { type Command, commands, misuse, withRun } from "../commands/index.ts";
import { resultMessage, templateCheckLines, whichLines } from "../phrases/index.ts";
import type { ChronicleSession } from "./chronicle-session.ts";
import { allListed } from "./session-list.ts";

/** What `--help` of the command line prints, which has none of these commands. */
const unexplained = { takes: "", details: "", exits: "", needs: "nothing", runs: "none" } as const;

const check: Command = {
	...unexplained,
	name: "check",
	takes: "[template…]",
	async perform({ project, parsed }) {
		const { sound, ...found } = await checkTemplates(project, parsed.names);
		const pointer = "`pi-chronicle check` in a shell checks the whole project.";
		return {
			kind: "done",
			lines: [...templateCheckLines({ sound, ...found }, project.place.cwd), pointer],
			data: {},
			exitCode: sound ? exitCodes.done : exitCodes.usage,
			view: { kind: "page", title: "Check of the templates" },
		};
	},
};

const help: Command = {
	...unexplained,
	name: "help",
	async perform({ host: { prefix, listed: all = allListed({ more: [] }) } }) {
		const width = Math.max(...all.map(({ name }) => name.length));
		const listed = all.map(({ name, about }) => `  ${name.padEnd(width)}  ${about}`);
		const head = `${prefix}<template> <task> starts a run. ${prefix}<command> [run] [text]:`;
		return {
			kind: "done",
			lines: [...whichLines(), "", head, ...listed],
			data: {},
			view: { kind: "page", title: "Chronicles" },
		};
	},
};

const tool: Command = {
	...unexplained,
	name: "tool",
	takes: "[on | off]",
	maxNames: 1,
	async perform({ parsed, host: { prefix, proposals } }) {
		const [word] = parsed.names;
		if (word !== undefined && word !== "on" && word !== "off")
			return misuse(`Usage: ${prefix}tool on, or ${prefix}tool off.`);
		if (word !== undefined && !(await proposals?.turn(word === "on")))
			return { kind: "silent", exitCode: exitCodes.usage };
		const on = word === undefined ? proposals?.on : word === "on";
		const text = on
			? "The model has the tool propose_run: asked in plain words, it proposes a run, and you decide."
			: `The model cannot propose runs. ${prefix}tool on gives it the tool propose_run.`;
		return { kind: "done", lines: [text], data: {} };
	},
};

const use: Command = {
	name: "use",
	takes: "[run]",
	details: "",
	exits: "",
	needs: "nothing",
	maxNames: 1,
	perform: (call) =>
		withRun(call, call.parsed.names[0], async ({ run }) => {
			const { host } = call;
			const short = run.id.slice(0, 8);
			if (run.stage.kind !== "over")
				return misuse(`The run ${short} is not over. Its findings so far: ${host.prefix}view ${short}`);
			host.quote?.(resultMessage(run));
			const text = `The result of ${short} is part of the conversation: the model reads it with your next prompt.`;
			return { kind: "done", lines: [text], data: {} };
		}),
};

const sessionCommands: readonly Command[] = [...commands, use, check, tool, help];

/** The command `name` of a session; `undefined` if there is none. */
export async function findCommand(
	{ more }: Pick<ChronicleSession, "more">,
	name: string,
): Promise<Command | undefined> {
	return sessionCommands.find((command) => command.name === name) ?? more.find((lazy) => lazy.name === name)?.load();
}
