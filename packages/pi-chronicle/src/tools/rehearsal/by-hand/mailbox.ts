// The mailbox of a rehearsal by hand: the processes of the rehearsal post the model's requests as files, and the process that runs it answers.
// Every file appears whole: it is written under another name and renamed.
// The file of a request exists as long as the request waits; time limits stand still meanwhile (see awake-clock.ts).
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { attempt, replaceFileSync } from "../../../disk/index.ts";
import { HELD_SUFFIX } from "../../../pi/index.ts";
import { isProcessAlive } from "../../../process/index.ts";

/** A tool as the request declares it. */
export interface DeclaredTool {
	readonly name: string;
	readonly description: string;
	/** JSON Schema. */
	readonly parameters: unknown;
}

/** One request to the model, as a provider gets it. */
export interface PostedRequest {
	/** Id of pi's session. */
	readonly session: string;
	/** Id of the chronicle's run; absent outside a worker. */
	readonly run?: string;
	/** Where in the run it is asked: `state building, visit 2`. */
	readonly place: string;
	readonly system: string;
	readonly tools: readonly DeclaredTool[];
	/** pi's messages, without system messages. */
	readonly messages: readonly unknown[];
	/** Lines of the system prompt that this package wrote. */
	readonly ownLines: readonly string[];
	/** Names of the tools of this package. */
	readonly ownTools: readonly string[];
}

/** One message of the player, as the answer to a request. */
export interface PostedAnswer {
	readonly text: string;
	readonly calls: readonly { readonly id: string; readonly tool: string; readonly input: Record<string, unknown> }[];
}

const pollMs = 50;
const replySuffix = ".answer.json";

/** The mailbox of the rehearsal with this journal, both absolute. */
export function mailboxBeside(journal: string): string {
	return join(dirname(journal), "requests");
}

/** Posts a request and waits for its answer. Rejects when `signal` aborts; the request is then withdrawn. */
export async function postRequest(
	folder: string,
	name: string,
	request: PostedRequest,
	signal: AbortSignal | undefined,
): Promise<PostedAnswer> {
	const file = join(folder, `${name}${HELD_SUFFIX}`);
	const reply = join(folder, `${name}${replySuffix}`);
	replaceFileSync(file, JSON.stringify(request));
	try {
		while (!existsSync(reply)) await sleep(pollMs, undefined, signal ? { signal } : {});
		return JSON.parse(readFileSync(reply, "utf8")) as PostedAnswer;
	} finally {
		rmSync(file, { force: true });
		rmSync(reply, { force: true });
	}
}

/** A request that waits. */
export interface WaitingRequest {
	readonly name: string;
	readonly request: PostedRequest;
}

/** The receiving side of a mailbox. */
export interface Mailbox {
	/** The requests that arrived since the last call, oldest first. */
	arrivals(): readonly WaitingRequest[];
	/** Whether the request still waits: its process runs and has not withdrawn it. */
	waits(name: string): boolean;
	answer(name: string, answer: PostedAnswer): void;
}

/** Opens a new mailbox in `folder` (absolute), which is created. Names start with the process id of the sender: `4711-1`. */
export function openMailbox(folder: string): Mailbox {
	mkdirSync(folder, { recursive: true });
	const known = new Set<string>();
	return {
		arrivals() {
			const fresh = readdirSync(folder)
				.filter((file) => file.endsWith(HELD_SUFFIX) && !file.startsWith("."))
				.map((file) => file.slice(0, -HELD_SUFFIX.length))
				.filter((name) => !known.has(name));
			const read = fresh.flatMap((name): WaitingRequest[] => {
				known.add(name);
				const request = readPostedRequest(join(folder, `${name}${HELD_SUFFIX}`));
				return request ? [{ name, request }] : [];
			});
			return read.sort((a, b) => (a.request.place < b.request.place ? -1 : 1));
		},
		waits: (name) => existsSync(join(folder, `${name}${HELD_SUFFIX}`)) && isProcessAlive(Number.parseInt(name, 10)),
		answer: (name, answer) => replaceFileSync(join(folder, `${name}${replySuffix}`), JSON.stringify(answer)),
	};
}

/** `undefined` if it was withdrawn meanwhile. */
function readPostedRequest(file: string): PostedRequest | undefined {
	return attempt(() => JSON.parse(readFileSync(file, "utf8")) as PostedRequest);
}
