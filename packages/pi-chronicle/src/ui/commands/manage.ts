// Commands that change stored definitions and runs: init, remove, prune, repair. Those that delete ask for confirmation if the user can be asked.
import { thereAre } from "@pi-chronicle/core/definition";
import {
	daysOf,
	ledgersOf,
	type Removable,
	type Removed,
	removeRuns,
	runNamed,
	runSizes,
	runsOlderThan,
	salvageLedger,
} from "../../local/index.ts";
import { exitCodes } from "../../pi/index.ts";
import { copyLines, copyShipped, lacksTests, shippedNames } from "../../tools/shipped/index.ts";
import { removalLines, removedLines } from "../phrases/index.ts";
import {
	type Command,
	type CommandCall,
	type CommandHost,
	type CommandResponse,
	failed,
	misuse,
	refused,
} from "./command.ts";

export const initCommand: Command = {
	name: "init",
	takes: "<name> [--tests <command>]",
	details: `Copies a shipped definition into the project's .pi, with the agents that it names and its scenario, so that you can change
it. Existing files are not changed. From then on, the project's copy is used. A definition that runs the project's tests gets their command:
found in package.json, Makefile, pyproject.toml, Cargo.toml, go.mod and the like, asked for in pi, or given with --tests.`,
	exits: "0, 1 it cannot be written, 2 no such definition, or the project already has one of that name",
	options: "  --tests <command>   the command that runs the project's tests\n",
	maxNames: 1,
	needs: "nothing",
	runs: "none",
	async perform({ parsed, project, host: { prefix, askTests } }) {
		const [name] = parsed.names;
		if (name === undefined) return misuse(`Name a definition: ${prefix}init <name>. ${thereAre(shippedNames(), "")}`);
		const { cwd, trust } = project.place;
		const asked = parsed.values.tests ?? (lacksTests(name, cwd) ? await askTests?.() : undefined);
		const copied = copyShipped(name, cwd, asked?.trim() || undefined);
		if ("message" in copied) return refused({ code: "not-copied", ...copied });
		return { kind: "done", lines: copyLines(copied, cwd, trust === "trusted"), data: { ...copied } };
	},
};

const whatGoes = "Deletes events, state, conversations, file snapshots and reports of a run. This cannot be undone.";
const maxListed = 20;

const remove: Command = {
	name: "remove",
	takes: "<run>",
	details: `${whatGoes} A run with a live supervisor, or with files in its copy, is not removed. Child runs are removed with their parent.`,
	exits: "0, 1 it could not be removed, 2 no such run, or its files wait",
	options: "  --dry-run       only list what would be removed\n",
	maxNames: 1,
	needs: "nothing",
	async perform(call) {
		const { parsed, project, host } = call;
		const [name] = parsed.names;
		if (name === undefined) return misuse(`Name a run: ${host.prefix}remove <run>.`);
		const runs = await runNamed(project, name);
		return "reason" in runs ? failed(runs) : removeFound(call, { runs, staying: [] });
	},
};

const prune: Command = {
	name: "prune",
	takes: "--older-than <days>",
	details: `Removes every run without a recorded event for that many days, waiting runs included. ${whatGoes}
A run with a live supervisor, or with files in its copy, is kept.`,
	exits: "0, 1 a run could not be removed",
	options:
		"  --older-than <days>   remove runs without events in that many days\n  --dry-run       only list what would be removed\n",
	maxNames: 0,
	needs: "nothing",
	async perform(call) {
		const { parsed, project, host } = call;
		const days = daysOf(parsed.values["older-than"]);
		if (days === undefined) return misuse(`Name the age in days: ${host.prefix}prune --older-than <days>.`);
		const found = await runsOlderThan(project, days);
		return "reason" in found ? failed(found) : removeFound(call, found);
	},
};

async function removeFound({ parsed, project, host }: CommandCall, found: Removable): Promise<CommandResponse> {
	const { runs, staying } = found;
	const ids = runs.map(({ id }) => id);
	const lines = removalLines(found, project.clock.now(), await runSizes(project, ids));
	if (parsed.flags.has("dry-run")) {
		const head = ids.length === 0 ? "Nothing to remove." : "Would be removed:";
		const data = { dryRun: true, runs: ids, ...(parsed.values["older-than"] === undefined ? {} : { staying }) };
		return { kind: "done", lines: [head, ...lines], data };
	}
	if (host.confirm && ids.length > 0) {
		if (!(await agrees(host, lines, ids.length)))
			return { kind: "done", lines: ["Nothing was removed."], data: { dryRun: false, removed: [] } };
	} else for (const line of removalLines({ runs: [], staying }, project.clock.now())) host.report(line);
	return removalResult(await removeRuns(project, runs));
}

async function agrees({ confirm, hasScreen }: CommandHost, lines: readonly string[], count: number): Promise<boolean> {
	const listed = hasScreen ? lines : lines.slice(0, maxListed);
	const more = lines.length - listed.length;
	const agreed = await confirm?.({
		title: `Remove ${count === 1 ? "this run" : `these ${count} runs`} with conversations, file snapshots and reports? This cannot be undone.`,
		lines: more > 0 ? [...listed, `  … and ${more} more`] : lines,
		no: "No, keep everything",
		yes: "Yes, remove",
		leave: "Esc keeps all",
	});
	return agreed ?? false;
}

function removalResult(removed: readonly Removed[]): CommandResponse {
	const exitCode = removed.some(({ failure }) => failure) ? exitCodes.failed : exitCodes.done;
	return { kind: "done", lines: removedLines(removed), data: { dryRun: false, removed }, exitCode };
}

export const removingCommands: readonly Command[] = [remove, prune];

export const repairCommand: Command = {
	name: "repair",
	takes: "<run>",
	details: `Verifies the checksums of all events of a run and of its state file. If the ledger is damaged, it is rebuilt: every whole event is kept, also those
of the copy outside the project, and the run continues from the last state that follows from them without a gap. Nothing is guessed; what is lost is
named, and the damaged files are kept under another name. \`doctor\` finds damaged ledgers.`,
	exits: "0 sound or repaired, 1 it cannot be repaired, or a process has the run, 2 no such run",
	maxNames: 1,
	needs: "nothing",
	async perform({ parsed, project, host }) {
		const [name] = parsed.names;
		if (name === undefined) return misuse(`Name a run: ${host.prefix}repair <run>.`);
		if (project.engine)
			return refused({
				code: "usage",
				message: "The events of these runs are in the engine's database, which verifies them itself.",
				remedy: "Restore the database from a backup if it is damaged.",
			});
		const found = await project.store.find(name.trim().toLowerCase());
		if (!found.ok) return failed(found.failure);
		const id = found.value;
		const done = await salvageLedger(ledgersOf(project), id, project.clock.now());
		if (!done.ok) return failed(done.failure, done.failure.reason === "unknown" ? exitCodes.usage : exitCodes.failed);
		const { lines, lost, changed } = done.value;
		const next = changed ? [`Continue it with ${host.prefix}resume ${id.slice(0, 8)}, or look at it with status.`] : [];
		return { kind: "done", lines: [...lines, ...next], data: { id, changed, lost, lines } };
	},
};
