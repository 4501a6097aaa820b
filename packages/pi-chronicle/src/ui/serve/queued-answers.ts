// Answers that were posted to a run and that nobody has read yet, so that a second person is told of the first.
import type { Project } from "../../local/index.ts";
import { keep } from "./kept.ts";

const maxAnswers = 200;

interface Queued {
	readonly by: string;
	/** The last event of the run when it was posted. */
	readonly seq: number;
}

export class QueuedAnswers {
	readonly #queued = new Map<string, Queued>();

	/** Who has answered event `answers` of the run, if the answer still waits. */
	async find({ store }: Project, id: string, answers: string | undefined): Promise<string | undefined> {
		const queued = answers === undefined ? undefined : this.#queued.get(`${id} ${answers}`);
		if (!queued) return undefined;
		const read = await store.read(id);
		return read.ok && read.value.run.seq === queued.seq ? queued.by : undefined;
	}

	async note({ store }: Project, id: string, answers: string | undefined, by: string): Promise<void> {
		const read = await store.read(id);
		if (answers === undefined || !read.ok) return;
		keep(this.#queued, `${id} ${answers}`, { by, seq: read.value.run.seq }, maxAnswers);
	}
}
