// The supervisor's side for tests of workers: a launcher on a real project, one state, and everything that the worker reported, in order.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type {
	AskedOfUser,
	LaunchFault,
	LaunchOrder,
	Result,
	Worker,
	WorkerAnswer,
	WorkerHost,
	WorkerLauncher,
	WorkerQuestion,
	WorkerReport,
} from "@pi-chronicle/core/ports";
import type { StatePlan } from "../../../../core/src/template/template.ts";
import { freezeRunRules, type LauncherOptions, openLauncher } from "../../../src/local/worker/index.ts";
import { loadAgentRegistry, skillPlaces } from "../../../src/persona/index.ts";
import { findPi, isPiCommand, ownPiSearch } from "../../../src/pi/index.ts";
import { closeLater } from "../../harness/lifetime.ts";
import { patient } from "../../harness/patience.ts";
import type { Project } from "../../harness/project.ts";
import { call, type MessageOptions } from "../../harness/reply.ts";
import { packageUnderTest } from "../../harness/under-test.ts";

/** A worker's call that moves to `target`. */
export const move = (target = "checking", options: MessageOptions = {}) =>
	call("workflow_transition", { target_state: target, summary: "Built it." }, options);

/** What happened, oldest first. */
export type Seen =
	| WorkerReport
	| { readonly kind: "move"; readonly target: string; readonly summary: string }
	| { readonly kind: "snapshot"; readonly data: unknown }
	| { readonly kind: "ask"; readonly question: WorkerQuestion }
	| { readonly kind: "question"; readonly question: AskedOfUser };

export interface WorkerRig {
	readonly launcher: WorkerLauncher;
	readonly seen: Seen[];
	/** Reports of one kind. */
	of<Kind extends Seen["kind"]>(kind: Kind): Extract<Seen, { kind: Kind }>[];
	launch(order?: Partial<LaunchOrder>): Promise<Result<Worker, LaunchFault>>;
	/** Launches; throws the failure. */
	start(order?: Partial<LaunchOrder>): Promise<Worker>;
	/** Resolves with the first event of that kind, past or future. */
	wait<Kind extends Seen["kind"]>(
		kind: Kind,
		wanted?: (one: Extract<Seen, { kind: Kind }>) => boolean,
	): Promise<Extract<Seen, { kind: Kind }>>;
	readonly folder: string;
	readonly workerEntry: string;
	readonly project: Project;
	/** Id of the run; the same for every rig of a project. */
	readonly run: string;
}

export interface RigOptions {
	readonly state?: Partial<StatePlan>;
	readonly host?: Partial<WorkerHost>;
	readonly launcher?: Partial<LauncherOptions>;
	/** Cancels starts. */
	readonly signal?: AbortSignal;
	/** A launcher in place of the rig's own. */
	readonly with?: WorkerLauncher;
	readonly answer?: (question: WorkerQuestion) => WorkerAnswer | Promise<WorkerAnswer>;
}

/** A plan with every default; `persona` is a role in words, so that no agent file is needed. */
export function statePlan(part: Partial<StatePlan> = {}): StatePlan {
	return {
		name: "building",
		persona: { kind: "persona", name: "Careful Builder" },
		next: ["checking", "planning"],
		shell: "judged",
		terminal: false,
		implicit: false,
		approval: { entry: false, exit: false },
		skills: [],
		extensions: [],
		limits: {},
		wallMs: 60_000,
		idleMs: 60_000,
		cleanup: [],
		polling: false,
		...part,
	};
}

export function openRig(project: Project, options: RigOptions = {}): WorkerRig {
	const pi = findPi(ownPiSearch());
	if (!isPiCommand(pi)) throw new Error(pi.message);
	const run = project.tag;
	const folder = join(project.folder, ".pi", "chronicle", "sessions", run);
	mkdirSync(folder, { recursive: true, mode: 0o700 });
	const env = project.environment();
	const place = { cwd: project.folder, agentFolder: project.agentFolder, home: project.home };
	const workerEntry = packageUnderTest().worker;
	const own = (): WorkerLauncher =>
		openLauncher({
			pi,
			workerEntry,
			resources: {
				agents: loadAgentRegistry({ ...place, project: "trusted" }),
				skills: skillPlaces([project.folder], project.agentFolder, project.home),
				models: async () => ["one", "two", "thinker", "small"].map((id) => ({ provider: "scripted", id })),
				cwd: project.folder,
				extensions: { home: project.home, agentFolder: project.agentFolder, trust: "trusted" },
				platform: process.platform,
			},
			rules: freezeRunRules(project.folder, project.home, project.agentFolder),
			trust: "trusted",
			env,
			...options.launcher,
		});
	const launcher = options.with ?? own();
	const seen: Seen[] = [];
	const watchers = new Set<() => void>();
	const add = (one: Seen): void => {
		seen.push(one);
		for (const look of watchers) look();
	};
	const host: WorkerHost = {
		report: add,
		waits: () => {},
		brief: async () => "[From pi-chronicle, not from the user]\nThe brief of now.",
		async requestMove(target, summary, data) {
			add({ kind: "move", target, summary });
			return (await options.host?.requestMove?.(target, summary, data)) ?? { kind: "accepted", text: "Recorded." };
		},
		async updateSnapshot(data) {
			add({ kind: "snapshot", data });
			return (await options.host?.updateSnapshot?.(data)) ?? { kind: "saved", text: "Kept as f1." };
		},
		async askUser(question) {
			add({ kind: "question", question });
			return { kind: "asked" };
		},
		async ask(question) {
			add({ kind: "ask", question });
			return (await options.answer?.(question)) ?? { kind: "undecided" };
		},
	};
	const launch: WorkerRig["launch"] = async (part = {}) => {
		const state = part.state ?? statePlan(options.state);
		const launched = await launcher.launch(
			{
				run,
				launch: { visit: 1, attempt: 1, launch: 1 },
				state,
				model: "scripted/one",
				cwd: project.folder,
				conversation: { kind: "new", key: "1.1" },
				message: { new: "Begin with the building.", continued: "Continue the building." },
				targets: state.next,
				limits: { wallMs: state.wallMs ?? 60_000, idleMs: state.idleMs, countCacheReads: true },
				unanswered: "ask",
				folder,
				...part,
			},
			host,
			options.signal ?? new AbortController().signal,
		);
		if (launched.ok) {
			closeLater(async () => {
				launched.value.stop("now");
				await launched.value.ended;
				await launcher.stopOrphans(run);
			});
		}
		return launched;
	};
	return {
		launcher,
		seen,
		folder,
		workerEntry,
		project,
		run,
		launch,
		of: (kind) => seen.filter((one) => one.kind === kind) as never,
		async start(part) {
			const launched = await launch(part);
			if (!launched.ok) throw new Error(`${launched.failure.reason}: ${launched.failure.detail}`);
			return launched.value;
		},
		wait: (kind, wanted = () => true) =>
			new Promise((resolve, reject) => {
				const look = (): void => {
					const found = seen.find((one) => one.kind === kind && wanted(one as never));
					if (!found) return;
					watchers.delete(look);
					clearTimeout(timer);
					resolve(found as never);
				};
				const timer = setTimeout(() => {
					watchers.delete(look);
					reject(
						new Error(`Nothing of kind ${kind} came. There was:\n${seen.map((one) => JSON.stringify(one)).join("\n")}`),
					);
				}, patient(15_000));
				watchers.add(look);
				look();
			}),
	};
}

/** Waits until `test` holds. */
export async function until(test: () => boolean, what: string): Promise<void> {
	const end = Date.now() + patient(5000);
	while (!test()) {
		if (Date.now() > end) throw new Error(`Not in time: ${what}`);
		await sleep(20);
	}
}
