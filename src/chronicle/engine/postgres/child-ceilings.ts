// What a child may use of its parents' ceilings: the host of the parent writes it into the child's row, the host of the child reads it.

import { isFlag, isNumber, object, optional } from "../../../definition/index.ts";
import type { TreeCeilings } from "../../core/index.ts";
import { readCeilings } from "./child-rows.ts";
import type { Database } from "./database.ts";
import type { Host } from "./host.ts";
import { parseUntrusted } from "./untrusted.ts";

/** The ceilings of a child as text; `null`: there are none. */
export function ceilingsText(ceilings: TreeCeilings): string | null {
	return Object.values(ceilings.left).every((figure) => figure === undefined) ? null : JSON.stringify(ceilings);
}

const figure = optional(isNumber);
const isCeilings = object<TreeCeilings>({
	left: object<TreeCeilings["left"]>({ costUsd: figure, tokens: figure, activeMs: figure }),
	counted: object<TreeCeilings["counted"]>({ costUsd: isNumber, tokens: isNumber, activeMs: isNumber }),
	countCacheReads: optional(isFlag),
});

const none = { costUsd: 0, tokens: 0, activeMs: 0 };
/** Of a text that cannot be read. */
const nothing: TreeCeilings = { left: none, counted: none };

export interface CeilingsWatch {
	/** What the parents leave the child, as last written; `undefined`: no ceiling applies. */
	ceilings(): TreeCeilings | undefined;
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
	const unwatch = host.onBeat(() => {
		if (text !== null) void look();
	});
	return {
		ceilings: () => (text === null ? undefined : (parseUntrusted(text, isCeilings) ?? nothing)),
		close() {
			closed = true;
			unlisten();
			unwatch();
		},
	};
}
