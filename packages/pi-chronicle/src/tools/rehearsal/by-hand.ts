// The parts of a rehearsal by hand around its play: what surrounds the run, the texts that are not this package's own, and the transcript.

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { attempt, folderNames } from "../../disk/index.ts";
import { readLog } from "../../local/index.ts";
import {
	type CallOutcome,
	callId,
	mailboxBeside,
	type Play,
	type Played,
	type Player,
	type PlayTranscript,
	type Surroundings,
	startPlay,
	Temporaries,
	transcriptOf,
} from "./by-hand/index.ts";
import { ledgerOrigin } from "./every/index.ts";
import type { ProjectCopy } from "./project-copy.ts";
import type { PlayedCall } from "./visits.ts";

/** Opens the player of a rehearsal; `around` gives its surroundings as they are at the time. */
export type OpenPlayer = (around: () => Surroundings) => Player;

/** Where the definitions of a rehearsal are, absolute. */
interface DefinitionPlaces {
	readonly agentFolder: string;
	readonly packageRoot: string;
}

export interface HandRehearsal {
	readonly play: Play;
	/** Closes the play; the transcript of everything that was answered. */
	end(outcome: "done" | "stopped", outcomes: ReadonlyMap<string, PlayedCall["outcome"]>): Promise<PlayTranscript>;
}

/** Starts to serve the requests of the rehearsal in `copy`. `stop` ends the rehearsal. */
export function startByHand(
	openPlayer: OpenPlayer,
	copy: ProjectCopy,
	{ played, host }: { readonly played: Played; readonly host: DefinitionPlaces },
	stop: AbortController,
): HandRehearsal {
	const now = new Date();
	const temporaries = new Temporaries();
	const around = (): Surroundings => ({
		project: copy.project,
		temp: dirname(copy.project),
		names: [...runsIn(copy.project), ...temporaries.names],
		package: host.packageRoot,
		now,
	});
	const play = startPlay({
		mailbox: mailboxBeside(copy.journal),
		player: temporaries.before(openPlayer(around)),
		foreign: [played.task, ...definitionTexts(copy.project, host)],
		stop,
	});
	return {
		play,
		async end(outcome, outcomes) {
			await play.close();
			const { exchanges } = play;
			const byRequest = new Map(
				exchanges.flatMap((exchange): [number, CallOutcome[]][] => {
					if (exchange.kind === "user") return [];
					const { request, answer } = exchange;
					return [[request.number, answer.calls.map((_, at) => outcomes.get(callId(request.number, at)) ?? "unknown")]];
				}),
			);
			return transcriptOf(played, outcome, { exchanges, outcomes: byRequest, around: around() });
		},
	};
}

/** The chronicle's runs, children included: `run`, `run of correctness`, `run of correctness (2)` for the next child of that name. */
function runsIn(project: string): Surroundings["names"] {
	const folder = join(project, ".pi", "chronicle", "sessions");
	const suffix = ".events.jsonl";
	const logs = folderNames(folder).filter((name) => name.endsWith(suffix));
	const begun = logs
		.map((name) => {
			const events = readLog(join(folder, name));
			return { id: name.slice(0, -suffix.length), at: events[0]?.at ?? "", child: ledgerOrigin(events).child };
		})
		.sort((a, b) => (a.at < b.at ? -1 : 1));
	const seen = new Map<string, number>();
	return begun.map(({ id, child }) => {
		const name = child === undefined ? "run" : `run of ${child}`;
		const count = (seen.get(name) ?? 0) + 1;
		seen.set(name, count);
		return { text: id, name: count === 1 ? name : `${name} (${count})` };
	});
}

/** The texts of all definitions and agents that a run may use. */
function definitionTexts(project: string, { agentFolder, packageRoot }: DefinitionPlaces): string[] {
	const folders = [
		join(project, ".pi"),
		...["workflows", "chronicle", "agents"].map((name) => join(agentFolder, name)),
		join(packageRoot, "definitions"),
	];
	return folders.flatMap((folder) =>
		(attempt(() => readdirSync(folder, { recursive: true, encoding: "utf8" })) ?? [])
			.filter((file) => /\.(?:md|ya?ml|json)$/.test(file) && !file.includes("sessions"))
			.map((file) => readFileSync(join(folder, file), "utf8").replaceAll("\\n", "\n")),
	);
}
