// An engine whose hosts are objects of this process: they take runs from Postgres, prepare their folders from a git remote, and supervise them with
// workers that play a script.
import { join } from "node:path";
import type { Project } from "../../pi-chronicle/src/local/project/index.ts";
import { openFolder } from "../../pi-chronicle/test/harness/folder.ts";
import { closeLater } from "../../pi-chronicle/test/harness/lifetime.ts";
import type { Cluster } from "../../pi-chronicle/test/harness/postgres.ts";
import { created, value } from "../../pi-chronicle/test/local/ledger/sample-events.ts";
import type { Play } from "../../pi-chronicle/test/local/supervisor/scripted-launcher.ts";
import { openStage } from "../../pi-chronicle/test/local/supervisor/stage.ts";
import { type Database, EngineWorker, openHost, type openPostgresStore, queueName, setUpEngine } from "../src/index.ts";
import { logText } from "../src/log.ts";
import type { ServedProject } from "../src/segment.ts";
import type { WorkerOptions } from "../src/worker.ts";
import { connect } from "./connect.ts";
import { appSetup, openEngine, storeOf } from "./open-engine.ts";
import { openSharedRepository, submitsFiles } from "./shared-repository.ts";

const definition = { name: "T", states: { a: { persona: "A", next: ["done"] } } };

/** The id of the n-th run. */
const idOf = (n: number): string => `aaaaaaaa-0000-4000-8000-${String(n).padStart(12, "0")}`;

interface HostOptions {
	/** The address of the database; default: the cluster's own. */
	readonly url?: string;
	readonly slots?: number;
	readonly leaseMs?: number;
	/** Default: `app`. */
	readonly projects?: readonly string[];
	readonly labels?: readonly string[];
	/** Of every project. */
	readonly served?: Partial<ServedProject>;
	/** What the worker of the n-th run does, or those of its states. */
	play(n: number, project: Project): Play | Play[];
}

interface StagedHost {
	readonly id: string;
	readonly data: string;
	readonly database: Database;
	readonly worker: EngineWorker;
	/** What it has reported. */
	readonly log: readonly string[];
	/** Stops all runs, gives them back, and ends. */
	stop(): Promise<unknown>;
}

export interface HostStage {
	readonly cluster: Cluster;
	readonly database: Database;
	readonly root: string;
	/** The bare repository that the hosts share. */
	readonly remote: string;
	git(...args: string[]): string;
	store(project?: string): ReturnType<typeof openPostgresStore>;
	/** Submits the n-th run with the files of the project. */
	submit(n: number, more?: { model?: string; project?: string; definition?: object }): Promise<void>;
	host(name: string, options: HostOptions): Promise<StagedHost>;
}

/** Opens an engine with a repository for its projects, and no hosts. */
export async function openHostStage(projects: readonly string[] = ["app"]): Promise<HostStage> {
	const root = openFolder();
	const repository = openSharedRepository(root, "file.txt", "one\n");
	const { remote, git } = repository;
	const { cluster, database } = await openEngine();
	for (const project of projects) if (project !== "app") await setUpEngine(database, { ...appSetup, project });
	const head = () => git("rev-parse", "HEAD");
	const creates = submitsFiles(repository, (run) => join(root, "submit", run), head);
	const store = (project = "app") =>
		storeOf(database, "submitted", {
			...{ project, queue: queueName(project, "runs"), folderOf: (run: string) => join(root, "runs", run), creates },
		});
	return {
		...{ cluster, database, root, remote, git, store },
		async submit(n, { model, project, definition: own = definition } = {}) {
			const first = created({ id: idOf(n), definition: own });
			value(await store(project).create(model === undefined ? first : { ...first, model }));
		},
		async host(name, options) {
			const { slots = 4, projects: names = ["app"], labels = [], served = {}, play } = options;
			const on = await connect(options.url ?? cluster.url);
			const log: string[] = [];
			const leases = options.leaseMs === undefined ? {} : { leaseMs: options.leaseMs };
			const host = openHost(on, { slots, name, labels, projects: names, queues: ["runs"], ...leases });
			const all: WorkerOptions = {
				...{ database: on, host, slots, labels, queues: ["runs"], data: join(root, "hosts", name) },
				report: (message, fields = {}) => void log.push(logText(message, fields)),
				projects: names.map((project) => ({
					...{ name: project, remote, cleanup: "never" as const },
					place: { agentFolder: join(root, "agent"), home: root, env: process.env, pi: {} } as never,
					ports(opened: Project, ledger, approver) {
						const { ports } = openStage([play(Number(ledger.run.id.slice(-4)), opened)].flat());
						return { ...opened.ports(ledger, approver), launcher: ports.launcher };
					},
					...served,
				})),
			};
			const worker = new EngineWorker(all);
			const done = worker.work();
			const stop = (): Promise<unknown> => {
				worker.stop();
				return done;
			};
			closeLater(async () => {
				await stop();
			});
			return { id: host.id, data: all.data, database: on, worker, log, stop };
		},
	};
}
