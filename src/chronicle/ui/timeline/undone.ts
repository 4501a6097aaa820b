// The visits that rewinds have undone, and what they cost. Pure.

import { counted } from "../../../definition/index.ts";
import { shortCost, shortCount } from "../../../pi/index.ts";
import type { Visit } from "../../core/index.ts";

export interface Undone {
	readonly visits: ReadonlySet<number>;
	readonly costUsd: number;
	readonly tokens: number;
}

export function undoneOf(visits: readonly Visit[]): Undone {
	const undone = visits.filter((visit) => visit.undone);
	return {
		visits: new Set(undone.map(({ number }) => number)),
		costUsd: undone.reduce((sum, { spend }) => sum + spend.costUsd, 0),
		tokens: undone.reduce((sum, { spend }) => sum + spend.tokens, 0),
	};
}

/** `2 visits undone by rewinds: 12.3k tokens, $0.42`; `undefined` if there are none. */
export function undoneText({ visits: { size }, costUsd, tokens }: Undone): string | undefined {
	if (size === 0) return undefined;
	return `${counted(size, "visit")} undone by rewinds: ${shortCount(tokens)} tokens, ${shortCost(costUsd)}`;
}
