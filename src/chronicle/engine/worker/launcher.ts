// The `WorkerLauncher` of this machine: one pi process in RPC mode per launch, its conversation in the run's folder.
// L1 a process is let work only after its handshake; L2 what fails leaves no process; L3 texts reach the worker by file or pipe alone.
import { existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { PiCommand } from "../../../pi/index.ts";
import { startChild, stopOrphans } from "../../../process/index.ts";
import { openRedaction, redactText } from "../../../safety/index.ts";
import type { LaunchFault, LaunchOrder, Result, Worker, WorkerHost, WorkerLauncher } from "../../core/index.ts";
import { NO_SPEND } from "../../core/index.ts";
import { type FrozenRules, writeBrief } from "./brief.ts";
import { expectedTools, type WorkerFiles, workerArguments, workerEnvironment } from "./command-line.ts";
import { checkExtensions } from "./extension-check.ts";
import { awaitHello, faultOf, unlessAborted } from "./greeting.ts";
import { judgeHello, leftOut } from "./handshake.ts";
import { openLive } from "./live.ts";
import { redactSessions } from "./redact-sessions.ts";
import type { UnreadableRules } from "./rules.ts";
import { createSessionFile, readSessionFile, relocateSession, type SessionContents } from "./session-file.ts";
import { resolveWorkerSpec, type WorkerResources, type WorkerSpec } from "./worker-spec.ts";

export interface LauncherOptions {
	readonly pi: PiCommand;
	/** Absolute path of the extension that workers load. */
	readonly workerEntry: string;
	readonly resources: WorkerResources;
	/** The guard's rules of this run, or why they cannot be enforced: then nothing is launched. */
	readonly rules: FrozenRules | UnreadableRules;
	/** Whether the person trusts the project's own pi files. */
	readonly trust: "trusted" | "untrusted";
	/** Default `off`. See `WorkerBrief`. */
	readonly sandbox?: "shell" | "off";
	/** Loaded before everything else, such as the understudy of a rehearsal. */
	readonly extensions?: readonly string[];
	readonly env?: NodeJS.ProcessEnv;
	/** Milliseconds a process may take to report itself. */
	readonly helloMs?: number;
}

/** Below the run's folder. */
const workersFolder = "workers";

function conversationFile(folder: string, key: string): string {
	return join(folder, workersFolder, `${key}.jsonl`);
}

type Fault = { readonly ok: false; readonly failure: LaunchFault };

/** Opens the launcher of one supervisor. */
export function openLauncher(options: LauncherOptions): WorkerLauncher {
	const { resources, rules } = options;
	const redact = openRedaction(options.env ?? process.env);
	const retired = new Set<string>();
	return {
		async check(states, signal) {
			const named = states.filter(({ implicit }) => !implicit);
			const planned = await Promise.all(
				named.map(async (state) => ({ state, ...(await resolveWorkerSpec(state, undefined, resources, signal)) })),
			);
			const problems = planned.flatMap(({ state, problems }) =>
				problems.map(({ severity, message, remedy }) => ({ state: state.name, severity, message, remedy })),
			);
			if ("kind" in rules) {
				const [first] = states;
				const { detail: message, remedy } = rules;
				return [{ state: first?.name ?? "", severity: "error" as const, message, remedy }, ...problems];
			}
			return [...problems, ...(await checkExtensions(planned, { ...options, rules }, signal))];
		},
		launch: (order, host, signal) => launch(order, host, signal, options),
		async redactSessions(folder, keep) {
			redactSessions(join(folder, workersFolder), keep, redact, retired);
		},
		async readSpend(folder, key) {
			const read = readSessionFile(conversationFile(folder, key));
			return read.kind === "read" ? read.conversation.spend : undefined;
		},
		async stopOrphans(run) {
			const { stopped, remaining } = await stopOrphans(run);
			return { stopped: stopped.length, left: remaining.length };
		},
	};
}

/** Milliseconds that a process gets to end which never became a worker. */
const stopMs = 500;

async function launch(
	order: LaunchOrder,
	host: WorkerHost,
	signal: AbortSignal,
	options: LauncherOptions,
): Promise<Result<Worker, LaunchFault>> {
	const { rules, resources } = options;
	if ("kind" in rules) return fault("rules", `${rules.detail} ${rules.remedy}`);
	const planned = await unlessAborted(resolveWorkerSpec(order.state, order.model, resources, signal), signal);
	if (!planned) return calledOff;
	const { plan, problems } = planned;
	if (!plan) {
		const error = problems.find(({ severity }) => severity === "error");
		return fault(
			error?.part ?? "persona",
			`${error?.message ?? "The state cannot be set up."} ${error?.remedy ?? ""}`.trim(),
		);
	}
	const folder = join(order.folder, workersFolder);
	const { key } = order.conversation;
	const files: WorkerFiles = {
		conversation: conversationFile(order.folder, key),
		brief: join(folder, `${key}.brief.json`),
		persona: join(folder, `${key}.persona.md`),
	};
	const ready = await prepare(order, plan, files, folder, rules, options.sandbox ?? "off");
	if ("ok" in ready) return ready;

	const child = startChild({
		command: options.pi.command,
		args: workerArguments(options.pi, plan, files, [options.workerEntry, ...(options.extensions ?? [])], options.trust),
		cwd: order.cwd,
		env: workerEnvironment(options.env ?? process.env, order.run, files.brief),
	});
	const hello = await awaitHello(child, options.helloMs ?? 30_000, signal);
	if (signal.aborted) {
		await child.stop(stopMs);
		return calledOff;
	}
	if (hello.kind !== "hello") {
		await child.stop(stopMs);
		return { ok: false, failure: faultOf(hello, child.stderr()) };
	}
	const ordered = {
		rules: rules.hash,
		tools: expectedTools(plan),
		order: plan.order,
		model: plan.exactModel,
		costUsd: order.limits.costUsd,
	};
	const wrong = judgeHello(hello.hello, ordered);
	if (wrong || child.pid === undefined || child.started === undefined) {
		await child.stop(stopMs);
		return wrong ? fault(wrong.reason, wrong.detail) : fault("spawn", "The process ended at once.");
	}

	const notices = [
		...plan.notices,
		...(plan.order ? leftOut(order.state.name, plan.order, hello.hello.registered) : []),
	];
	const continued = ready.conversation !== undefined;
	const live = openLive(
		{
			child,
			host,
			limits: order.limits,
			fallbacks: plan.fallbacks,
			before: ready.conversation?.spend ?? NO_SPEND,
			conversation: files.conversation,
			started: {
				pid: child.pid,
				started: child.started,
				model: hello.hello.model,
				...(rules.files > 0 ? { rules: rules.hash } : {}),
				conversation: continued ? "continued" : "new",
				...(notices.length > 0 ? { notice: redactText(notices.join(" "), 600) } : {}),
			},
		},
		hello.link,
	);
	hello.handOver(live.listener);
	// The caller first learns that the worker has started; whatever the worker does comes after.
	setImmediate(() => {
		const spend = ready.conversation?.spend;
		if (spend && spend.tokens > 0) host.report({ kind: "used", spend });
		const move = order.unanswered === "ask" ? ready.conversation?.unanswered : undefined;
		if (move && order.targets.includes(move.target)) void live.askMove(move.target, move.summary);
		else void live.send(continued ? order.message.continued : order.message.new);
	});
	return { ok: true, value: live };
}

/** Writes what the process reads, and finds out which conversation it goes on with. */
async function prepare(
	order: LaunchOrder,
	plan: WorkerSpec,
	files: WorkerFiles,
	folder: string,
	rules: FrozenRules,
	sandbox: "shell" | "off",
): Promise<{ readonly conversation: SessionContents | undefined } | Fault> {
	try {
		mkdirSync(folder, { recursive: true, mode: 0o700 });
		const conversation = openConversation(order, files.conversation);
		if (conversation !== undefined && "ok" in conversation) return conversation;
		const { costUsd, tokens, requests, calls, countCacheReads } = order.limits;
		writeBrief(files.brief, {
			version: 1,
			run: order.run,
			state: order.state.name,
			launch: order.launch,
			targets: order.targets,
			allowance: {
				...(costUsd === undefined ? {} : { costUsd }),
				...(tokens === undefined ? {} : { tokens }),
				...(requests === undefined ? {} : { requests }),
				...(calls === undefined ? {} : { calls }),
				countCacheReads,
			},
			...(plan.order ? { tools: plan.order } : {}),
			rules,
			sandbox,
		});
		writeFileSync(files.persona, `${plan.persona.prompt}\n`, { mode: 0o600 });
		return { conversation };
	} catch (error) {
		return fault(
			"spawn",
			`The run's folder cannot be written: ${error instanceof Error ? error.message : String(error)}`,
		);
	}
}

/** The conversation to go on with, `undefined` for a new one, whose file is then there and empty. */
function openConversation(order: LaunchOrder, path: string): SessionContents | undefined | Fault {
	const { conversation } = order;
	const read = readSessionFile(path);
	if (conversation.kind === "continue") {
		if (read.kind === "read") {
			if (read.conversation.cwd !== order.cwd) relocateSession(path, order.cwd);
			return read.conversation;
		}
		if (!conversation.optional) {
			const why = read.kind === "broken" ? read.detail : "It is not there.";
			return fault("session_lost", `The conversation of the interrupted worker cannot be continued. ${why}`);
		}
	}
	// What an earlier launch left under this name, before anything of it was recorded, is kept aside.
	if (existsSync(path)) renameSync(path, freePath(path));
	createSessionFile(path);
	return undefined;
}

function freePath(path: string): string {
	for (let n = 1; ; n++) {
		const free = path.replace(/\.jsonl$/, `.${n}.jsonl`);
		if (!existsSync(free)) return free;
	}
}

const calledOff = fault("spawn", "The start was called off.");

function fault(reason: LaunchFault["reason"], detail: string): Fault {
	return { ok: false, failure: { reason, detail } };
}
