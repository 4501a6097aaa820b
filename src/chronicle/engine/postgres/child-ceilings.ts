// What a child may use of its parents' ceilings: the host of the parent writes it into the child's row, the host of the child reads it.
import type { Allowance, Run } from "../../core/index.ts";
import { readCeilings } from "./child-rows.ts";
import type { Database } from "./database.ts";
import type { Host } from "./host.ts";

const figures = ["costUsd", "tokens", "activeMs"] as const;
type Figures = Readonly<Partial<Record<(typeof figures)[number], number>>>;

interface Ceilings {
	/** What the tree can still spend. */
	readonly left: Figures;
	/** What of the child's spend that already includes. */
	readonly counted: Required<Figures>;
}

/** The ceilings of a child as text. `left`: what the tree can still spend, `child`: the run whose spend that includes. `null`: there is none. */
export function ceilingsText(left: Allowance, child: Run): string | null {
	const known = Object.fromEntries(
		figures.flatMap((figure) => (left[figure] === undefined ? [] : [[figure, left[figure]]])),
	);
	if (Object.keys(known).length === 0) return null;
	return JSON.stringify({ left: known, counted: spentOf(child) } satisfies Ceilings);
}

/** What a child with these ceilings can still spend, of which `run` is the present state. */
export function remainder(text: string | null, run: Run): Allowance {
	if (text === null) return {};
	const { left, counted } = JSON.parse(text) as Ceilings;
	const spent = spentOf(run);
	const rest = figures.flatMap((figure) => {
		const most = left[figure];
		return most === undefined ? [] : [[figure, Math.max(0, most - (spent[figure] - counted[figure]))]];
	});
	return Object.fromEntries(rest) as Allowance;
}

function spentOf({ totals, plan }: Run): Required<Figures> {
	const { costUsd, tokens, cacheRead, activeMs } = totals;
	return { costUsd, tokens: plan.limits.countCacheReads ? tokens : tokens - cacheRead, activeMs };
}

export interface CeilingsWatch {
	/** What the child can still spend, of which `run` is the present state. */
	allowance(run: Run): Allowance;
	close(): void;
}

/** Follows the ceilings of a child that this host holds; `onChange` is called after each change. */
export async function openCeilings(
	{ database, host }: { readonly database: Database; readonly host: Host },
	id: string,
	onChange: () => void,
): Promise<CeilingsWatch> {
	let text = await readCeilings(database, id);
	let closed = false;
	const look = async (): Promise<void> => {
		const now = await readCeilings(database, id).catch(() => text);
		if (closed || now === text) return;
		text = now;
		onChange();
	};
	const unlisten = await database.listen((payload) => {
		if (payload === undefined || payload === `ceilings ${id}`) void look();
	});
	// A notification can get lost with its connection.
	host.onBeat(() => {
		if (!closed && text !== null) void look();
	});
	return {
		allowance: (run) => remainder(text, run),
		close() {
			closed = true;
			unlisten();
		},
	};
}
