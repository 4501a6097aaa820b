// The `WorkerLauncher` for this machine: one pi process in RPC mode per launch, its session file in the run's folder.
// L1 a process does no work before it has passed the handshake; L2 a launch that fails leaves no process; L3 texts reach the worker by file or pipe
// alone.
import { existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { PiCommand } from "../../../pi/index.ts";
import { type Child, startChild, stopOrphans } from "../../../process/index.ts";
import { openRedaction, redactText } from "../../../safety/index.ts";
import type { LaunchFault, LaunchOrder, Result, Worker, WorkerHost, WorkerLauncher } from "../../core/index.ts";
import { NO_SPEND } from "../../core/index.ts";
import { type FrozenRules, writeBrief } from "./brief.ts";
import { expectedTools, type WorkerFiles, workerArguments, workerEnvironment } from "./command-line.ts";
import { checkExtensions } from "./extension-check.ts";
import { awaitHello, faultOf, type Greeting, unlessAborted } from "./greeting.ts";
import { judgeHello, leftOut } from "./handshake.ts";
import { type LiveWorker, openLive } from "./live.ts";
import { redactSessions } from "./redact-sessions.ts";
import type { UnreadableRules } from "./rules.ts";
import { createSessionFile, readSessionFile, relocateSession, type SessionContents } from "./session-file.ts";
import { resolveWorkerSpec, type WorkerResources, type WorkerSpec } from "./worker-spec.ts";

export interface LauncherOptions {
	readonly pi: PiCommand;
	/** Absolute path of the extension that workers load. */
	readonly workerEntry: string;
	readonly resources: WorkerResources;
	/** The guard's rules for this run, or why they cannot be enforced: then nothing is launched. */
	readonly rules: FrozenRules | UnreadableRules;
	/** Whether the user trusts the project's pi files. */
	readonly trust: "trusted" | "untrusted";
	/** Default `off`. See `WorkerBrief`. */
	readonly sandbox?: "shell" | "off";
	/** Loaded before everything else, such as the understudy of a rehearsal. */
	readonly extensions?: readonly string[];
	readonly env?: NodeJS.ProcessEnv;
	/** Milliseconds a process may take to report itself. */
	readonly helloMs?: number;
}

/** In the run's folder. */
const workersFolder = "workers";

function sessionFile(folder: string, key: string): string {
	return join(folder, workersFolder, `${key}.jsonl`);
}

type Fault = { readonly ok: false; readonly failure: LaunchFault };

/** Opens the launcher of one supervisor. */
export function openLauncher(options: LauncherOptions): WorkerLauncher {
	const { resources, rules } = options;
	const redact = openRedaction(options.env ?? process.env);
	const redacted = new Set<string>();
	return {
		async check(states, signal) {
			const named = states.filter(({ implicit }) => !implicit);
			const specs = await Promise.all(
				named.map(async (state) => ({ state, ...(await resolveWorkerSpec(state, undefined, resources, signal)) })),
			);
			const problems = specs.flatMap(({ state, problems }) =>
				problems.map(({ severity, message, remedy }) => ({ state: state.name, severity, message, remedy })),
			);
			if ("kind" in rules) {
				const [first] = states;
				const { detail: message, remedy } = rules;
				return [{ state: first?.name ?? "", severity: "error" as const, message, remedy }, ...problems];
			}
			return [...problems, ...(await checkExtensions(specs, { ...options, rules }, signal))];
		},
		launch: (order, host, signal) => launch(order, host, signal, options),
		async redactSessions(folder, keep) {
			redactSessions(join(folder, workersFolder), keep, redact, redacted);
		},
		async readSpend(folder, key) {
			const read = await readSessionFile(sessionFile(folder, key));
			return read.kind === "read" ? read.contents.spend : undefined;
		},
		async stopOrphans(run) {
			const { stopped, remaining } = await stopOrphans(run);
			return { stopped: stopped.length, left: remaining.length };
		},
	};
}

/** Milliseconds that a process which never became a worker gets to end. */
const stopMs = 500;

const defaultHelloMs = 30_000;

/** What is launched. */
interface Launch {
	readonly order: LaunchOrder;
	readonly spec: WorkerSpec;
	readonly files: WorkerFiles;
	readonly rules: FrozenRules;
	/** Of the session that is continued; `undefined` for a new one. */
	readonly session: SessionContents | undefined;
}

async function launch(
	order: LaunchOrder,
	host: WorkerHost,
	signal: AbortSignal,
	options: LauncherOptions,
): Promise<Result<Worker, LaunchFault>> {
	const { rules, resources } = options;
	if ("kind" in rules) return fault("rules", `${rules.detail} ${rules.remedy}`);
	const resolved = await unlessAborted(resolveWorkerSpec(order.state, order.model, resources, signal), signal);
	if (!resolved) return canceled;
	const { spec, problems } = resolved;
	if (!spec) {
		const {
			part = "persona",
			message = "The state cannot be set up.",
			remedy = "",
		} = problems.find(({ severity }) => severity === "error") ?? {};
		return fault(part, `${message} ${remedy}`.trim());
	}
	const files = filesOf(order);
	const prepared = await prepare(order, spec, files, rules, options.sandbox ?? "off");
	if ("ok" in prepared) return prepared;
	const child = startChild({
		command: options.pi.command,
		args: workerArguments(options.pi, spec, files, [options.workerEntry, ...(options.extensions ?? [])], options.trust),
		cwd: order.cwd,
		env: workerEnvironment(options.env ?? process.env, order.run, files.brief),
	});
	const greeting = await awaitHello(child, options.helloMs ?? defaultHelloMs, signal);
	if (signal.aborted || greeting.kind !== "hello") {
		await child.stop(stopMs);
		// Only now everything that it wrote to stderr has been read.
		return signal.aborted || greeting.kind === "hello"
			? canceled
			: { ok: false, failure: faultOf(greeting, child.stderr()) };
	}
	const started = startWork({ order, spec, files, rules, session: prepared.session }, child, greeting, host);
	if (!started.ok) await child.stop(stopMs);
	return started;
}

/** Judges the first report of the process, and gives it its first message. */
function startWork(
	{ order, spec, files, rules, session }: Launch,
	child: Child,
	greeting: Extract<Greeting, { kind: "hello" }>,
	host: WorkerHost,
): Result<LiveWorker, LaunchFault> {
	const { hello, link } = greeting;
	const wrong = judgeHello(hello, {
		rules: rules.hash,
		tools: expectedTools(spec),
		order: spec.order,
		model: spec.exactModel,
		costUsd: order.limits.costUsd,
	});
	if (wrong) return { ok: false, failure: wrong };
	const { pid, started } = child;
	if (pid === undefined || started === undefined) return fault("spawn", "The process ended at once.");
	const notices = [...spec.notices, ...(spec.order ? leftOut(order.state.name, spec.order, hello.registered) : [])];
	const live = openLive(
		{
			child,
			host,
			limits: order.limits,
			fallbacks: spec.fallbacks,
			before: session?.spend ?? NO_SPEND,
			session: files.session,
			started: {
				pid,
				started,
				model: hello.model,
				...(rules.files > 0 ? { rules: rules.hash } : {}),
				conversation: session ? "continued" : "new",
				...(notices.length > 0 ? { notice: redactText(notices.join(" "), 600) } : {}),
			},
		},
		link,
	);
	greeting.handOver(live.listener);
	// The caller learns that the worker has started before anything that the worker does.
	setImmediate(() => {
		if (session && session.spend.tokens > 0) host.report({ kind: "used", spend: session.spend });
		const move = order.unanswered === "ask" ? session?.unanswered : undefined;
		if (move && order.targets.includes(move.target)) void live.askMove(move.target, move.summary);
		else void live.send(session ? order.message.continued : order.message.new);
	});
	return { ok: true, value: live };
}

function filesOf({ folder, conversation: { key } }: LaunchOrder): WorkerFiles {
	return {
		session: sessionFile(folder, key),
		brief: join(folder, workersFolder, `${key}.brief.json`),
		persona: join(folder, workersFolder, `${key}.persona.md`),
	};
}

/** Writes what the process reads, and finds the session that it continues. */
async function prepare(
	order: LaunchOrder,
	spec: WorkerSpec,
	files: WorkerFiles,
	rules: FrozenRules,
	sandbox: "shell" | "off",
): Promise<Pick<Launch, "session"> | Fault> {
	try {
		mkdirSync(join(order.folder, workersFolder), { recursive: true, mode: 0o700 });
		const session = await openSession(order, files.session);
		if (session !== undefined && "ok" in session) return session;
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
			...(spec.order ? { tools: spec.order } : {}),
			rules,
			sandbox,
		});
		writeFileSync(files.persona, `${spec.persona.prompt}\n`, { mode: 0o600 });
		return { session };
	} catch (error) {
		const cause = error instanceof Error ? error.message : String(error);
		return fault("spawn", `The run's folder cannot be written: ${cause}`);
	}
}

/** The session to continue; `undefined` for a new one, whose file exists then and is empty. */
async function openSession(order: LaunchOrder, path: string): Promise<SessionContents | undefined | Fault> {
	const { conversation } = order;
	if (conversation.kind === "continue") {
		const read = await readSessionFile(path);
		if (read.kind === "read") {
			if (read.contents.cwd !== order.cwd) await relocateSession(path, order.cwd);
			return read.contents;
		}
		if (!conversation.optional) {
			const why = read.kind === "broken" ? read.detail : "It does not exist.";
			return fault("session_lost", `The conversation of the interrupted worker cannot be continued. ${why}`);
		}
	}
	// What an earlier launch left under this name, before anything of it was recorded, is kept.
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

const canceled = fault("spawn", "The start was canceled.");

function fault(reason: LaunchFault["reason"], detail: string): Fault {
	return { ok: false, failure: { reason, detail } };
}
