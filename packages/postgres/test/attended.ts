// A store for tests without workers: after each call that others make, a host has looked whether a run needs a job.
import type { Database, openPostgresStore } from "../src/index.ts";
import { wakeRuns } from "../src/settle.ts";

type Store = ReturnType<typeof openPostgresStore>;

export function attended(database: Database, store: Store): Store {
	const look = async <T>(done: Promise<T>): Promise<T> => {
		const result = await done;
		await wakeRuns(database);
		return result;
	};
	return {
		...store,
		create: (first) => look(store.create(first)),
		post: (id, event) => look(store.post(id, event)),
		wake: (id) => look(store.wake(id)),
	};
}
