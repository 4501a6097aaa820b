// An engine with the project `app`, and stores of its runs.

import { openRedaction } from "../../pi-chronicle/src/safety/index.ts";
import { type Cluster, openSharedDatabase } from "../../pi-chronicle/test/harness/postgres.ts";
import { type Database, openDatabase, openHost, openPostgresStore, queueName, setUpEngine } from "../src/index.ts";
import { connect } from "./connect.ts";

/** The queue of the project's runs. */
export const queue = queueName("app", "runs");

/** What `engine init --project app` sets up. */
export const appSetup = { project: "app", queues: [], labels: [], members: [] };

/** A database with an engine in the cluster that the test files share. */
function openEngineDatabase(): Promise<Cluster> {
	return openSharedDatabase({
		name: "engine",
		async prepare(url) {
			const opened = await openDatabase(url);
			if (!opened.ok) throw new Error(opened.failure.message);
			await setUpEngine(opened.value, appSetup);
			await opened.value.close();
		},
	});
}

/** Opens an engine: in a database of its own, or in `own`, a cluster that the test stops. */
export async function openEngine(own?: Cluster): Promise<{ readonly cluster: Cluster; readonly database: Database }> {
	const cluster = own ?? (await openEngineDatabase());
	const database = await connect(cluster.url);
	if (own) await setUpEngine(database, appSetup);
	return { cluster, database };
}

/** A store of the project's runs. Those that it creates are `held` by its host, or `submitted` to all hosts, without files. */
export function storeOf(
	database: Database,
	creates: "held" | "submitted",
	more: Partial<Parameters<typeof openPostgresStore>[0]> = {},
): ReturnType<typeof openPostgresStore> {
	return openPostgresStore({
		...{ database, host: openHost(database), clock: Date, redact: openRedaction({}), project: "app", queue },
		folderOf: (run) => `/nowhere/${run}`,
		creates:
			creates === "held" ? { kind: "held" } : { kind: "submitted", base: async () => ({ ok: true, value: null }) },
		...more,
	});
}
