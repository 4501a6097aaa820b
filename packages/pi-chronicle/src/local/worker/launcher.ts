// The `WorkerLauncher` for this machine: one pi process in RPC mode per launch, its session file in the run's folder.
// A process does no work before it has passed the handshake; a launch that fails leaves no process; texts reach the worker only by file
// or pipe.

import { existsSync, renameSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { digest } from "@pi-chronicle/core/bounds";
import { errorMessage } from "@pi-chronicle/core/definition";
import { beginMessage, findTarget, NO_SPEND, READ_ONLY_TOOLS } from "@pi-chronicle/core/machine";
import type {
	LateAnswer,
	LaunchFault,
	LaunchOrder,
	Result,
	Worker,
	WorkerAbilities,
	WorkerHost,
	WorkerLauncher,
	WorkerReport,
} from "@pi-chronicle/core/ports";
import type { StatePlan } from "@pi-chronicle/core/template";
import { openOnce, orderExtension } from "../../pi/index.ts";
import { stopOrphans, unlessAborted, within } from "../../process/index.ts";
import { openRedaction, probeSandbox, redactText, removeBox } from "../../safety/index.ts";
import { diskFailure } from "../ledger/index.ts";
import { type AnswerPlace, addAnswer } from "./answer-entry.ts";
import type { Adoption, FrozenRules } from "./brief.ts";
import { checkCeilings } from "./ceiling-check.ts";
import { expectedTools } from "./command-line.ts";
import { ASK_TOOL } from "./extension/index.ts";
import { checkExtensions } from "./extension-check.ts";
import { judgeHello, leftOut } from "./handshake.ts";
import { type LiveWorker, openLive } from "./live.ts";
import { redactSessions } from "./redact-sessions.ts";
import type { UnreadableRules } from "./rules.ts";
import { readSessionFile, relocateSession, type SessionContents } from "./session-file.ts";
import { Standby, type StandbyLimits } from "./standby.ts";
import {
	adoptFiles,
	canceled,
	defaultHelloMs,
	filesOf,
	type Hailed,
	type StartedProcess,
	type StartFault,
	type StartOptions,
	startFault,
	startProcess,
	stopMs,
	workersFolder,
} from "./start-process.ts";
import { chooseBox, describeContainment } from "./worker-box.ts";
import { resolveWorkerSpec, type WorkerResources, type WorkerSpec } from "./worker-spec.ts";

export interface LauncherOptions extends StartOptions {
	readonly resources: WorkerResources;
	/** The guard's rules for this run, or why they cannot be enforced: in that case, nothing is launched. */
	readonly rules: FrozenRules | UnreadableRules;
	/** Default: no standby. */
	readonly standby?: StandbyLimits;
}

/** Dependencies of a launch. */
interface PendingLaunch {
	readonly options: StartOptions & { readonly resources: WorkerResources };
	readonly rules: FrozenRules;
	readonly standby: Standby | undefined;
}

/** Opens the launcher of one supervisor. */
export function openLauncher(given: LauncherOptions): WorkerLauncher {
	const options = { ...given, probe: openOnce(() => probeSandbox(given.env)) };
	const { resources, rules } = options;
	const standby =
		"kind" in rules || !options.standby ? undefined : new Standby({ ...options, rules, limits: options.standby });
	const redact = openRedaction(options.env ?? process.env);
	const redacted = new Set<string>();
	return {
		async check(states, { signal, ceilings } = {}) {
			const named = states.filter(({ persona }) => persona);
			const specs = await Promise.all(
				named.map(async (state) => ({ state, ...(await resolveWorkerSpec(state, undefined, resources, signal)) })),
			);
			const problems = specs.flatMap(({ state, problems }) =>
				problems.map(({ part: _, ...problem }) => ({ state: state.name, ...problem })),
			);
			if ("kind" in rules) {
				const [first] = states;
				const { detail: message, remedy } = rules;
				return [{ state: first?.name ?? "", severity: "error" as const, message, remedy }, ...problems];
			}
			const unheld = ceilings ? await checkCeilings(specs, ceilings, () => resources.models(signal)) : [];
			return [...problems, ...unheld, ...(await checkExtensions(specs, { ...options, rules }, signal))];
		},
		async abilities(states) {
			const found = new Map<StatePlan, WorkerAbilities>();
			for (const state of states) {
				const { spec } = await resolveWorkerSpec(state, undefined, resources);
				if (spec) found.set(state, abilitiesOfSpec(spec));
			}
			return found;
		},
		containment: (states) => describeContainment(states, options),
		async launch(order, host, signal) {
			if ("kind" in rules) return startFault("rules", `${rules.detail} ${rules.remedy}`);
			return launch(order, host, signal, { options, rules, standby });
		},
		async keepReady(order) {
			await standby?.keep(order);
		},
		async redactSessions(folder, keep) {
			standby?.sweep(folder);
			redactSessions(join(folder, workersFolder), keep, redact, redacted);
			if (keep === undefined) removeBox(folder);
		},
		async readSpend(folder, key) {
			const read = await readSessionFile(filesOf(folder, key).session);
			return read.kind === "read" ? read.contents.spend : undefined;
		},
		async stopOrphans(run) {
			const { stopped, remaining } = await stopOrphans(run, undefined, standby?.pid);
			return { stopped: stopped.length, left: remaining.length };
		},
	};
}

const editTools: ReadonlySet<string> = new Set(["edit", "write"]);
const shellTools: ReadonlySet<string> = new Set(["bash", "powershell"]);

function abilitiesOfSpec({ tools, order }: WorkerSpec): WorkerAbilities {
	return {
		edits: tools.some((tool) => editTools.has(tool)),
		runs: tools.some((tool) => shellTools.has(tool)),
		other:
			order !== undefined ||
			tools.some((tool) => !editTools.has(tool) && !shellTools.has(tool) && !READ_ONLY_TOOLS.has(tool)),
	};
}

/** Milliseconds from a worker's first message to its first request, during which nothing else is started. */
const quietMs = 150;

async function launch(
	order: LaunchOrder,
	host: WorkerHost,
	signal: AbortSignal,
	{ options, rules, standby }: PendingLaunch,
): Promise<Result<Worker, LaunchFault>> {
	const resolved = await unlessAborted(resolveWorkerSpec(order.state, order.model, options.resources, signal), signal);
	if (!resolved) return canceled;
	const { spec, problems } = resolved;
	if (!spec) {
		const {
			part = "persona",
			message = "The state cannot be set up.",
			remedy = "",
		} = problems.find(({ severity }) => severity === "error") ?? {};
		return startFault(part, `${message} ${remedy}`.trim());
	}
	const launched = await startWorker(withEndedPrograms(order, spec), spec, host, signal, { options, rules, standby });
	if (launched.ok) standby?.after(launched.value.begun.then(() => sleep(quietMs)));
	return launched;
}

const programsEnded =
	"[From pi-chronicle, not from the user: programs that you had started were stopped while you waited.]";

/** The order, whose answer tells a worker that starts programs that they have ended. */
function withEndedPrograms(order: LaunchOrder, spec: WorkerSpec): LaunchOrder {
	const { answer } = order;
	const { runs, other } = abilitiesOfSpec(spec);
	if (!answer || !(runs || other)) return order;
	return { ...order, answer: { ...answer, result: `${answer.result}\n\n${programsEnded}` } };
}

type BegunWorker = Worker & {
	/** Resolves once its first message is in its conversation, or it has ended. */
	readonly begun: Promise<unknown>;
};

/** Adopts the standby if it matches, otherwise a new process. */
async function startWorker(
	order: LaunchOrder,
	spec: WorkerSpec,
	host: WorkerHost,
	signal: AbortSignal,
	{ options, rules, standby }: PendingLaunch,
): Promise<Result<BegunWorker, LaunchFault>> {
	const helloMs = options.helloMs ?? defaultHelloMs;
	const adoption = { order, rules, host, session: undefined, place: undefined, signal };
	const ready = order.conversation.kind === "new" ? standby?.take(order, spec) : undefined;
	// A failing standby only costs time: a new worker is started instead.
	const adopted = ready && (await adopt(ready, { ...adoption, standby: true, ackMs: standbyAckMs }));
	if (adopted?.ok || signal.aborted) return adopted ?? canceled;
	try {
		const files = filesOf(order.folder, order.conversation.key);
		const session = await openSession(order, files.session);
		if (session !== undefined && "ok" in session) return session;
		const { answer } = order;
		const place = session && answer ? await addAnswer(files.session, answer.call, answer.result) : undefined;
		const box = await chooseBox(order, spec, options);
		if (box !== "off" && "missing" in box) return startFault("rules", box.missing);
		const started = startProcess(order, { spec, files, rules, box }, options, signal);
		return await adopt(started, { ...adoption, session, place, standby: false, ackMs: helloMs });
	} catch (error) {
		const isOfDisk = (error as NodeJS.ErrnoException).code !== undefined;
		const { message, remedy } = diskFailure(error, order.folder);
		return startFault("spawn", isOfDisk ? `${message} ${remedy}` : errorMessage(error));
	}
}

/** Milliseconds for a standby to confirm its adoption. */
const standbyAckMs = 2000;

interface AdoptionOptions {
	readonly order: LaunchOrder;
	readonly rules: FrozenRules;
	readonly host: WorkerHost;
	/** Of the continued session; `undefined` for a new one. */
	readonly session: SessionContents | undefined;
	/** Where the session has the order's answer. */
	readonly place: AnswerPlace | undefined;
	readonly standby: boolean;
	readonly ackMs: number;
	readonly signal: AbortSignal;
}

/** Adopts a started process as the worker of a launch: checks its first report, sends its limits and its first message. */
async function adopt(started: StartedProcess, options: AdoptionOptions): Promise<Result<BegunWorker, LaunchFault>> {
	const { child } = started;
	// A standby that is still starting gets as long as a new process would: its start bounds the wait.
	const greeting = await unlessAborted(started.greeting, options.signal);
	if (!greeting) await (options.standby ? child.kill() : child.stop(stopMs));
	if (!greeting || "ok" in greeting) return greeting ?? canceled;
	const wrong = judgeStart(started, greeting, options);
	if (wrong === undefined && (await confirmed(started, greeting, options))) {
		adoptFiles(started.files, filesOf(options.order.folder, options.order.conversation.key));
		return { ok: true, value: beginWork(started, greeting, options) };
	}
	await (options.standby ? child.kill() : child.stop(stopMs));
	if (options.signal.aborted) return canceled;
	return wrong ? { ok: false, failure: wrong } : startFault("spawn", "The process ended at once.");
}

function judgeStart(
	{ spec }: StartedProcess,
	{ hello }: Hailed,
	{ order, rules }: AdoptionOptions,
): LaunchFault | undefined {
	return judgeHello(hello, {
		rules: rules.hash,
		tools: expectedTools(spec),
		order: spec.order,
		model: spec.exactModel,
		costUsd: order.limits.costUsd,
	});
}

/** Whether the process has confirmed the adoption. */
async function confirmed(
	{ child }: StartedProcess,
	{ link, adopted }: Hailed,
	{ order, ackMs, signal }: AdoptionOptions,
): Promise<boolean> {
	const { costUsd, tokens, requests, calls, countCacheReads } = order.limits;
	const adoption: Adoption = {
		launch: order.launch,
		allowance: {
			costUsd,
			tokens,
			requests,
			calls,
			countCacheReads,
		},
	};
	orderExtension(link, `adopt ${JSON.stringify(adoption)}`);
	const first = Promise.race([adopted.then(() => true), child.exited.then(() => false)]);
	return (await unlessAborted(within(ackMs, first), signal)) ?? false;
}

function beginWork(started: StartedProcess, greeting: Hailed, options: AdoptionOptions): BegunWorker {
	const { spec, child } = started;
	const { order, rules, host, session, standby } = options;
	const { hello, link } = greeting;
	const notices = [...spec.notices, ...(spec.order ? leftOut(order.state.name, spec.order, hello.registered) : [])];
	const live = openLive(
		{
			child,
			host,
			limits: order.limits,
			fallbacks: spec.fallbacks,
			before: session?.spend ?? NO_SPEND,
			session: started.files.session,
			started: {
				// Set, because its ready report came over its pipe.
				pid: child.pid ?? 0,
				started: child.started ?? "unknown",
				model: hello.model,
				...(rules.files > 0 ? { rules: rules.hash } : {}),
				conversation: session ? "continued" : "new",
				...(notices.length > 0 ? { notice: redactText(notices.join(" "), 600) } : {}),
				...(standby ? { standby } : {}),
			},
		},
		link,
	);
	greeting.handOver(live.listener);
	// The caller learns that the worker has started before anything that the worker does.
	const begun = new Promise<unknown>((resolve) => setImmediate(() => resolve(sendFirst(live, options))));
	return { ...live, begun };
}

async function sendFirst(live: LiveWorker, { order, host, session, place }: AdoptionOptions): Promise<void> {
	if (session && session.spend.tokens > 0) host.report({ kind: "used", spend: session.spend });
	const move = order.unanswered === "ask" ? session?.unanswered : undefined;
	const message = session ? order.message.continued : order.message.new;
	if (move && findTarget(move.target, order.targets) !== undefined) return live.askMove(move, message);
	const { answer } = order;
	if (!answer) return void (await live.send(message));
	if (place?.kind === "added") host.report(answerReport(answer));
	if (place?.kind === "added" || (place?.kind === "there" && place.last))
		return answer.alone ? live.goOn() : void (await live.send(message));
	await live.send(place?.kind === "there" ? message : beginMessage(answer.text, message));
}

/** The end of a call whose result was put into the session. */
function answerReport({ call, result }: LateAnswer): WorkerReport {
	const bytes = Buffer.byteLength(result);
	return { kind: "tool_ended", call, tool: ASK_TOOL, ms: 0, bytes, hash: digest(result) };
}

/** The session to continue; `undefined` for a new one, whose file pi creates with its first message. */
async function openSession(order: LaunchOrder, path: string): Promise<SessionContents | undefined | StartFault> {
	const { conversation } = order;
	if (conversation.kind === "continue") {
		const read = await readSessionFile(path);
		if (read.kind === "read") {
			if (read.contents.cwd !== order.cwd) await relocateSession(path, order.cwd);
			return read.contents;
		}
		if (!conversation.optional) {
			const why = read.kind === "broken" ? read.detail : "It does not exist.";
			return startFault("session_lost", `The conversation of the interrupted worker cannot be continued. ${why}`);
		}
	}
	// A file that an earlier launch left under this name, before any report was recorded, is kept.
	if (existsSync(path)) renameSync(path, freePath(path));
	return undefined;
}

function freePath(path: string): string {
	for (let n = 1; ; n++) {
		const free = path.replace(/\.jsonl$/, `.${n}.jsonl`);
		if (!existsSync(free)) return free;
	}
}
