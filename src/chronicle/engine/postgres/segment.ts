// One segment of a run on this host: from the job that this host took until the run parks, ends, or is given back.
// E1 the working folder is set to the recorded files first, unless this host was the last that worked on them; E2 the files are published before
// a move is recorded, the conversations before the run parks; E3 the branch of the run follows what is recorded.
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openRedaction } from "../../../safety/index.ts";
import { type Approver, type EventBody, isParked, type LedgerEvent, type StoreFailure } from "../../core/index.ts";
import { openProject, type Project, workspaceScope } from "../project/index.ts";
import { nobody, openCrashPoints, type Supervision, type SupervisionEnd, supervise } from "../supervisor/index.ts";
import { type ProjectEnvironment, redactSessionText } from "../worker/index.ts";
import type { Checkout } from "./checkout.ts";
import type { PostgresLedger, SegmentHooks, TakenAnswer } from "./held.ts";
import { runSetup } from "./set-up.ts";
import { openSharedWorkspace, type SharedWorkspace } from "./shared-workspace.ts";

/** A project as a host serves it. */
export interface ServedProject {
	readonly name: string;
	/** URL or path of its git remote. */
	readonly remote: string;
	/** Shell command that prepares a new working folder: dependencies, generated files, secrets. */
	readonly setup?: string;
	/** `submitted`: cleanup commands that the submitter approved may run; `never`: none. */
	readonly cleanup: "submitted" | "never";
	readonly place: Omit<ProjectEnvironment, "cwd" | "trust">;
	/** Opens the ports of a run; replaced in tests. */
	readonly ports?: (project: Project, ledger: PostgresLedger, approver: Approver) => ReturnType<Project["ports"]>;
}

export interface SegmentOptions {
	readonly project: ServedProject;
	readonly checkout: Checkout;
	readonly report: (text: string) => void;
}

export interface RunSegment {
	readonly supervision: Supervision;
	/** Resolves once everything of the segment is published. */
	readonly ended: Promise<SupervisionEnd>;
}

/** What this host wrote down about a run's folder. */
interface Marker {
	/** The fence under which this host worked in it last. */
	readonly fence: number;
	readonly folder: string;
}

/** Prepares the working folder and starts to supervise. Throws a sentence if the folder cannot be prepared. */
export async function startSegment(ledger: PostgresLedger, options: SegmentOptions): Promise<RunSegment> {
	const { project, checkout, report } = options;
	const { run } = ledger;
	const cwd = await prepareFolder(ledger, options);
	const served = openServed(project, cwd);
	const workspace = openSharedWorkspace({
		...{ run: run.id, remote: project.remote, cwd, folder: ledger.folder, report },
		leftOut: served.ownFolders,
		...workspaceScope(run),
	});
	const publishing = publishSegment(ledger, workspace);
	const answer = await ledger.takeAnswer();
	ledger.use(answer ? settleAnswer(publishing.hooks, answer) : publishing.hooks);
	const approver = answer ? answerOnce(answer) : nobody;
	const ports = project.ports?.(served, ledger, approver) ?? served.ports(ledger, approver);
	const supervision = supervise(ledger, { ...ports, workspace }, run.seq === 1 ? "fresh" : "reopened");
	const finish = async (): Promise<SupervisionEnd> => {
		const end = await supervision.ended;
		await publishing.settle();
		if (end.kind === "parked") await answer?.settle(questionChanged);
		if (end.kind === "parked" && end.run.stage.kind === "over") {
			await workspace.refs.collect(await treesOf(ledger)).catch(() => {});
			await checkout.remove(run.id).catch(() => {});
		}
		return end;
	};
	return { supervision, ended: finish() };
}

const questionChanged = "The question has changed. Look at the run again.";

/** Gives the answer to the question that it was given for. An approval covers no other files than those that were shown. */
function answerOnce({ event, settle }: TakenAnswer): Approver {
	let given = false;
	return {
		...nobody,
		async approve({ seq }) {
			if (given) return { kind: "undecided" };
			given = true;
			const words = event.words === undefined ? {} : { words: event.words };
			if (event.kind === "rejected") return { kind: "rejected", words: event.words };
			if (event.kind === "released" && event.to !== undefined) return { kind: "sent", to: event.to, ...words };
			if (event.kind === "approved" && event.answers === seq) return { kind: "approved", ...words };
			await settle("The files have changed since you were asked. Look at the changes, and answer again.");
			return { kind: "undecided" };
		},
	};
}

/** Tells the sender once the answer is recorded. */
function settleAnswer(hooks: SegmentHooks, { settle }: TakenAnswer): SegmentHooks {
	return {
		...hooks,
		afterAppend(events, now) {
			hooks.afterAppend(events, now);
			if (events.some(({ kind }) => kind === "approved" || kind === "rejected" || kind === "released"))
				void settle().catch(() => {});
		},
	};
}

function openServed({ place, cleanup }: ServedProject, cwd: string): Project {
	const standing = cleanup === "submitted" ? "approved" : "unknown";
	return openProject({ ...place, cwd, trust: "trusted" }, { standingOf: () => standing, remember: async () => {} });
}

/** The folder that the run works in, with the recorded files. */
async function prepareFolder(ledger: PostgresLedger, { project, checkout }: SegmentOptions): Promise<string> {
	const { run, earlier } = ledger;
	const work = checkout.workOf(run.id);
	const file = join(ledger.folder, "segment.json");
	await mkdir(ledger.folder, { recursive: true, mode: 0o700 });
	const known = await readFile(file, "utf8").then(
		(text) => JSON.parse(text) as Marker,
		() => undefined,
	);
	const write = (folder: string) =>
		writeFile(file, JSON.stringify({ fence: ledger.fence, folder } satisfies Marker), { mode: 0o600 });
	if (known?.fence === earlier.fence) {
		await write(known.folder);
		return join(work, known.folder);
	}
	if (earlier.head === null) throw new Error("The run has no published files to start from.");
	const base = await checkout.fetchRun(run.id, earlier.head);
	const isNew = await checkout.reset(run.id, base);
	await checkout.takeConversations(run.id);
	const cwd = join(work, base.note.folder);
	const { ownFolders } = openProject({ ...project.place, cwd, trust: "untrusted" });
	const files = openSharedWorkspace({
		...{ run: run.id, remote: project.remote, cwd, folder: ledger.folder },
		leftOut: ownFolders,
		...workspaceScope(run),
	});
	const restored = await files.restore(earlier.head);
	if (!restored.ok) throw new Error(`The run's files could not be restored: ${restored.failure.message}`);
	if (project.setup !== undefined) {
		const prepared = join(ledger.folder, "prepared");
		if (isNew) await rm(prepared, { force: true });
		await runSetup(project.setup, { cwd, env: project.place.env ?? process.env, run: run.id, prepared });
	}
	await write(base.note.folder);
	return cwd;
}

/** Publishes what another host needs before it is recorded that the run has got there. */
function publishSegment(
	ledger: PostgresLedger,
	workspace: SharedWorkspace,
): { readonly hooks: SegmentHooks; settle(): Promise<void> } {
	let moving: Promise<unknown> = Promise.resolve();
	let talked = -1;
	const crashAt = openCrashPoints();
	const talk = async (seq: number): Promise<StoreFailure | undefined> => {
		if (talked === seq) return undefined;
		talked = seq;
		const pushed = await workspace.refs.pushConversations(ledger.fence, await readConversations(ledger.folder));
		return pushed.ok ? undefined : { ...pushed.failure, reason: "io" };
	};
	const hooks: SegmentHooks = {
		head: () => workspace.head(),
		async beforeAppend(bodies, next) {
			if (bodies.some(({ kind }) => kind === "move_requested")) {
				await workspace.snapshot();
				crashAt("files are pushed");
			}
			const failure = needsFiles(bodies) ? workspace.unpublished() : undefined;
			if (failure) return { ...failure, reason: "io" };
			return isParked(next) ? talk(next.seq) : undefined;
		},
		afterAppend(events, now) {
			const tree = workspace.head();
			if (tree === undefined || !events.some(({ kind }) => kind === "moved" || kind === "finished")) return;
			moving = moving.then(async () => {
				crashAt("before the branch moves");
				await workspace.publish(tree, now.seq);
				crashAt("branch is moved");
			});
		},
	};
	return {
		hooks,
		async settle() {
			await talk(Number.MAX_SAFE_INTEGER);
			await moving;
		},
	};
}

/** Whether the events say that the files of the run are known, or that they are not. */
function needsFiles(bodies: readonly EventBody[]): boolean {
	return bodies.some(
		({ kind }) => kind === "move_requested" || kind === "files_measured" || kind === "files_unmeasured",
	);
}

/** The conversations of the run, without secrets. */
async function readConversations(folder: string): Promise<Map<string, string>> {
	const workers = join(folder, "workers");
	const redact = openRedaction(process.env);
	const names = (await readdir(workers).catch((): string[] => [])).filter((name) => /^\d+\.\d+\.jsonl$/.test(name));
	const files = new Map<string, string>();
	for (const name of names) files.set(name, redactSessionText(await readFile(join(workers, name), "utf8"), redact));
	return files;
}

/** Every snapshot that the events of a run name. */
async function treesOf(ledger: PostgresLedger): Promise<Set<string>> {
	const trees = new Set<string>();
	for await (const event of ledger.events()) for (const name of treesIn(event)) trees.add(name);
	return trees;
}

function treesIn(event: LedgerEvent): string[] {
	const { tree, before, now, diff } = event as { tree?: unknown; before?: unknown; now?: unknown; diff?: unknown };
	return [tree, before, now, diff].filter((name): name is string => typeof name === "string");
}
