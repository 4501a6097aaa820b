// `repair`: rebuilds the damaged ledger of one run.
import { exitCodes } from "../../../pi/index.ts";
import { ledgersOf, salvageLedger } from "../../engine/index.ts";
import { type Command, failed, misuse, refused } from "./command.ts";

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
