// Where in a chronicle a worker is: told by its supervisor's brief, by the run's ledger, and by its own conversation.
import { readFileSync } from "node:fs";
import { basename, extname, join } from "node:path";
import type { SessionEntry } from "@earendil-works/pi-coding-agent";
import { nextOnRoute } from "./route.ts";
import type { Place } from "./understudy.ts";

/** What a worker knows of its part in the run. */
export interface WorkerPart {
	/** Id of the run. */
	readonly run: string;
	readonly state: string;
	/** Number of this visit among all visits of the run. */
	readonly visit: number;
	/** What `workflow_transition` may name. */
	readonly targets: readonly string[];
}

/** Targets that lead nowhere by themselves: a person, or the same again. */
const lastResort = (state: string) => ["human_intervention", state];

/** The place of a worker; `cwd` is the run's folder, `branch` its own conversation, `route` the way that the rehearsal is to take. */
export function placeInRun(
	part: WorkerPart,
	cwd: string,
	branch: readonly SessionEntry[],
	route: readonly string[] = [],
): Place {
	const { template, earlier } = readLedger(part, cwd);
	const visit = earlier + 1;
	const onward = part.targets.filter((target) => !lastResort(part.state).includes(target));
	const wanted = nextOnRoute(route, part.state, visit);
	const targets =
		wanted !== undefined && onward.includes(wanted) ? [wanted, ...onward.filter((name) => name !== wanted)] : onward;
	const turn = branch.filter((entry) => entry.type === "message" && entry.message.role === "assistant").length;
	return { kind: "state", root: template, id: part.state, visit, turn, targets };
}

/** From the run's ledger: the template's key, and how often its state was left before this visit. */
function readLedger({ run, state, visit }: WorkerPart, cwd: string): { template: string; earlier: number } {
	try {
		const ledger: unknown = JSON.parse(readFileSync(join(cwd, ".pi", "chronicle", "sessions", `${run}.json`), "utf8"));
		const { template, history } = ledger as { template?: { file?: unknown; name?: unknown }; history?: unknown };
		const { file, name } = template ?? {};
		const moves: { from?: unknown; visit?: unknown }[] = Array.isArray(history) ? history : [];
		const left = moves.filter((move) => move.from === state && typeof move.visit === "number" && move.visit < visit);
		return {
			template: typeof file === "string" ? basename(file, extname(file)) : String(name ?? ""),
			earlier: new Set(left.map((move) => move.visit)).size,
		};
	} catch {
		// The supervisor has not written it yet: then this is the first visit of all.
		return { template: "", earlier: 0 };
	}
}
