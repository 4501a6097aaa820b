// Where the page of a project is served now, so that a notice can link to it. The address holds no token: it opens for who has signed in.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { attempt, jsonObject, replaceFile } from "../../disk/index.ts";
import { isProcessAlive } from "../../process/index.ts";
import { prepareSessions } from "../ledger/index.ts";

interface ServedPage {
	readonly pid: number;
	/** Precedes the ids of runs: `http://127.0.0.1:7878/p/shop/r`. */
	readonly address: string;
}

function pageFile(sessions: string): string {
	return join(sessions, ".page");
}

function readServedPage(sessions: string): ServedPage | undefined {
	const { pid, address } = jsonObject(pageFile(sessions)) ?? {};
	return typeof pid === "number" && typeof address === "string" && URL.canParse(address) ? { pid, address } : undefined;
}

/** Notes that this process serves the runs of the folder `sessions` below `address`. The returned function forgets it. */
export async function notePage(sessions: string, address: string): Promise<() => void> {
	const { pid } = process;
	await prepareSessions(sessions);
	await replaceFile(pageFile(sessions), JSON.stringify({ pid, address } satisfies ServedPage));
	return () => {
		if (readServedPage(sessions)?.pid === pid) attempt(() => rmSync(pageFile(sessions), { force: true }));
	};
}

/** The address of run `id` on the page; `undefined`: no process serves it. */
export function pageOfRun(sessions: string, id: string): string | undefined {
	const page = readServedPage(sessions);
	return page && isProcessAlive(page.pid) ? `${page.address}/${id}` : undefined;
}
