// Lifetimes of what a test opens. Everything that the harness opens registers here; setup.ts closes it, last opened first.
// Opened in a test or `beforeEach`: closed after that test. Opened in `beforeAll` or at the top of a file: when the file ends.
// Not for tests that run concurrently within one file.

import { AsyncLocalStorage } from "node:async_hooks";

/** Closes one thing; an error it throws fails the test that opened it. Called once. */
export type Close = () => void | Promise<void>;

const untilFileEnds = new AsyncLocalStorage<true>();
const lifetimes = { file: [] as Close[], test: undefined as Close[] | undefined };

/**
 * Registers `close`; returns a function that calls it early. It is called once: a caller that closes early receives
 * its error.
 */
export function closeLater(close: Close): () => Promise<void> {
	let closed: Promise<void> | undefined;
	const begin = () => {
		closed ??= (async () => close())();
		return closed;
	};
	const owner = untilFileEnds.getStore() ? lifetimes.file : (lifetimes.test ?? lifetimes.file);
	owner.push(() => (closed ? undefined : begin()));
	return begin;
}

/** What `open` opens, even in a test, stays open until the file ends: for resources that a first test opens and later ones use. */
export function keepForFile<T>(open: () => T): T {
	return untilFileEnds.run(true, open);
}

/** Called by setup.ts before every test. */
export function beginTest(): void {
	lifetimes.test = [];
}

/** Called by setup.ts after every test: closes what the test opened. */
export async function endTest(): Promise<void> {
	const opened = lifetimes.test ?? [];
	lifetimes.test = undefined;
	await closeAll(opened);
}

/** Called by setup.ts at the end of a file; call it yourself when the harness is used outside of vitest. */
export async function endFile(): Promise<void> {
	await closeAll(lifetimes.file);
}

/** Closes all, last opened first, whatever fails, and throws the first error. */
async function closeAll(opened: Close[]): Promise<void> {
	const errors: unknown[] = [];
	for (const close of opened.splice(0).reverse()) {
		try {
			await close();
		} catch (error) {
			errors.push(error);
		}
	}
	if (errors.length === 1) throw errors[0];
	if (errors.length > 1) throw new AggregateError(errors, errors.map(String).join("\n"));
}
