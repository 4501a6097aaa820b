// What a child may use of its parents' ceilings: the host of the parent writes it into the child's row, the host of the child reads it.
import type { TreeCeilings } from "../../core/index.ts";
import { readCeilings } from "./child-rows.ts";
import type { Database } from "./database.ts";
import type { Host } from "./host.ts";

/** The ceilings of a child as text; `null`: there are none. */
export function ceilingsText(ceilings: TreeCeilings): string | null {
	return Object.values(ceilings.left).every((figure) => figure === undefined) ? null : JSON.stringify(ceilings);
}

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
	host.onBeat(() => {
		if (!closed && text !== null) void look();
	});
	return {
		ceilings: () => (text === null ? undefined : (JSON.parse(text) as TreeCeilings)),
		close() {
			closed = true;
			unlisten();
		},
	};
}
