// Expressions that may explode, tried on a thread of their own. H1 an answer comes within the limit, or the thread is ended and the
// expression that was being tried is named; H2 the thread starts with the first question and keeps no process alive.
import { Worker } from "node:worker_threads";

export interface Question {
	readonly source: string;
	readonly flags: string;
}

export type Tried =
	/** For every text the indexes of the questions that match it, in one list: `text * questions + question`. */
	| { readonly kind: "done"; readonly hits: readonly number[] }
	/** The question that did not end in time. */
	| { readonly kind: "too-slow"; readonly question: number }
	| { readonly kind: "failed"; readonly reason: string };

export interface RegexThread {
	/** Tries every question on every text. One call at a time; calls queue. */
	try(questions: readonly Question[], texts: readonly string[]): Promise<Tried>;
	close(): Promise<void>;
}

/** What the thread runs. It tells which question it is at through shared memory, so that a stuck one can be named. */
const program = `
const { parentPort, workerData } = require("node:worker_threads");
const at = new Int32Array(workerData);
parentPort.on("message", ({ questions, texts }) => {
	const hits = [];
	questions.forEach(({ source, flags }, question) => {
		const expression = new RegExp(source, flags);
		Atomics.store(at, 0, question);
		texts.forEach((text, index) => {
			expression.lastIndex = 0;
			if (expression.test(text)) hits.push(index * questions.length + question);
		});
	});
	parentPort.postMessage(hits);
});
parentPort.postMessage("ready");
`;

/** Opens the thread's place; the thread itself starts when it is first needed. `limitMs`: for one `try`, the start not counted. */
export function openRegexThread(limitMs: number): RegexThread {
	let running: { worker: Worker; at: Int32Array } | undefined;
	let queue: Promise<unknown> = Promise.resolve();
	let closed = false;

	const start = async (): Promise<{ worker: Worker; at: Int32Array }> => {
		if (running) return running;
		const memory = new SharedArrayBuffer(4);
		const worker = new Worker(program, { eval: true, workerData: memory, execArgv: [], env: {} });
		await new Promise<void>((resolve, reject) => {
			worker.once("message", () => resolve());
			worker.once("error", reject);
			worker.once("exit", () => reject(new Error("the thread ended")));
		});
		worker.removeAllListeners();
		worker.unref();
		running = { worker, at: new Int32Array(memory) };
		return running;
	};

	const stop = async (): Promise<void> => {
		const ended = running;
		running = undefined;
		await ended?.worker.terminate();
	};

	const attempt = async (questions: readonly Question[], texts: readonly string[]): Promise<Tried> => {
		if (closed) return { kind: "failed", reason: "the session is closing" };
		try {
			const { worker, at } = await start();
			return await new Promise<Tried>((resolve) => {
				const finish = (tried: Tried) => {
					clearTimeout(timer);
					worker.removeAllListeners();
					resolve(tried);
				};
				const timer = setTimeout(() => {
					const question = Atomics.load(at, 0);
					finish({ kind: "too-slow", question });
					void stop();
				}, limitMs);
				worker.once("message", (hits: number[]) => finish({ kind: "done", hits }));
				worker.once("error", (error) => {
					running = undefined;
					finish({ kind: "failed", reason: error instanceof Error ? error.message : String(error) });
				});
				worker.postMessage({ questions, texts });
			});
		} catch (error) {
			await stop();
			return { kind: "failed", reason: error instanceof Error ? error.message : String(error) };
		}
	};

	return {
		try(questions, texts) {
			const answer = queue.then(() => attempt(questions, texts));
			queue = answer.catch(() => {});
			return answer;
		},
		async close() {
			closed = true;
			await stop();
		},
	};
}
