// Loaded by every process of a rehearsal: the understudy as a provider, and the recorder of the journal.
// If the scenario cannot be read, every request fails with the reason: a rehearsal never uses a substitute.

import { readdirSync } from "node:fs";
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { formatDiagnostics } from "@pi-chronicle/core/definition";
import { contentText, type Session } from "../../pi/index.ts";
import { openPost } from "./by-hand/index.ts";
import { type RehearsalConfig, readConfig } from "./config.ts";
import { brief, type JournalLine, note } from "./journal.ts";
import { understudyProvider } from "./provider.ts";
import { automaticScenario, type Cue, cue, type Scenario, type Script } from "./scenario.ts";
import { findScenario, readScenarioFile } from "./scenario-file.ts";
import { positionInSession, type SessionPosition } from "./session-position.ts";
import { answer, type RunPosition } from "./understudy.ts";
import { positionInRun, type RunSoFar, readRunSoFar, type WorkerVisit } from "./worker-position.ts";

/** Joins the rehearsal that is configured by the file at `path`; `visit`: in the process of a chronicle's worker. */
export function respondInProcess(pi: ExtensionAPI, path: string, visit?: WorkerVisit): void {
	const config = readConfig(path);
	const scenarios = openScenarios(config);
	let session: Session | undefined;
	let sampleFile: string | undefined;
	let soFar: RunSoFar | undefined;
	const locate = (): SessionPosition => {
		if (!session) return { position: { kind: "idle", turn: 0 }, progress: "none" };
		const branch = session.getBranch();
		if (!visit) return positionInSession(branch);
		soFar ??= readRunSoFar(visit, session);
		return { position: positionInRun(visit, soFar, branch, config.path), progress: "open" };
	};
	const record = openRecorder(config.journal);

	const post = config.byHand && config.journal !== undefined ? openPost(pi, config.journal, visit?.run) : undefined;

	pi.registerProvider(
		understudyProvider({
			tokensPerSecond: config.tokensPerSecond,
			async answer(request, signal) {
				const here = locate().position;
				record.entered(here);
				record.write({ kind: "asked", characters: request.characters, at: Date.now() });
				if (post && session) return post(request, here, session.getSessionId(), signal);
				const reply = answer(scenarios.of(here), { ...request, position: here, sampleFile });
				if (reply.person) record.write({ kind: "answer", answer: reply.person, at: Date.now() });
				record.write({ kind: "said", text: brief(reply.text), at: Date.now() });
				return reply;
			},
		}),
	);
	pi.on("session_start", (_event, ctx) => {
		session = ctx.sessionManager;
		scenarios.project = ctx.cwd;
		sampleFile = findSample(ctx.cwd);
	});
	if (config.journal === undefined) return;
	recordCalls(pi, record.write);
	pi.on("agent_settled", ({ aborted }) =>
		record.write({ kind: "settled", aborted, progress: locate().progress, at: Date.now() }),
	);
	// A command may have ended the run without a turn of the model.
	pi.on("session_shutdown", () =>
		record.write({ kind: "settled", aborted: false, progress: locate().progress, at: Date.now() }),
	);
}

/**
 * The scenario that a planned script makes for the current visit; a visit that it does not name does nothing, and a child run that it does not
 * name plays its automatic round.
 */
function plannedScenario(script: Script, position: RunPosition): Scenario {
	if (position.kind === "idle") return automaticScenario;
	const phase = position.kind === "phase";
	const place = position.scope === undefined ? position.id : `${position.scope}/${position.id}`;
	const visit = `${place}#${position.visit}`;
	const planned = (phase ? undefined : script[`${visit}.${position.attempt}`]) ?? script[visit];
	const isChild = !phase && position.scope !== undefined;
	if (isChild && !planned && !Object.keys(script).some((key) => key.startsWith(`${position.scope}/`)))
		return automaticScenario;
	const cues = planned ?? Array<Cue>(50).fill(cue({ say: "The plan has nothing for this visit." }));
	const scripts = new Map([[position.id, cues]]);
	return { ...automaticScenario, ...(phase ? { phases: scripts } : { states: scripts }) };
}

/** The scenario for a position: the configured one, else the project's own for the running definition, else none. */
function openScenarios({ scenario: named, script }: RehearsalConfig) {
	const read = new Map<string, Scenario>();
	let last = automaticScenario;
	const load = (file: string): Scenario => {
		const known = read.get(file);
		if (known) return known;
		const scenario = loadScenario(file);
		read.set(file, scenario);
		return scenario;
	};
	return {
		project: "",
		of(position: RunPosition): Scenario {
			if (script) return plannedScenario(script, position);
			if (named !== undefined) return load(named);
			if (position.kind === "idle") return last;
			const file = findScenario(this.project, position.kind === "phase" ? "workflow" : "chronicle", position.root);
			last = file === undefined ? automaticScenario : load(file);
			return last;
		},
	};
}

function loadScenario(file: string): Scenario {
	const { scenario, diagnostics } = readScenarioFile(file);
	if (scenario) return scenario;
	throw new Error(`The scenario cannot be used.\n${formatDiagnostics(diagnostics).join("\n")}`);
}

function openRecorder(journal: string | undefined) {
	let last = "";
	let by: { readonly by?: string } = {};
	const write = (line: JournalLine): void => {
		if (journal !== undefined) note(journal, { ...line, ...by });
	};
	return {
		write,
		/** Records a position that differs from the last one. */
		entered(position: RunPosition): void {
			const mark =
				position.kind === "idle" ? "" : `${position.kind} ${position.scope ?? ""} ${position.id} ${position.visit}`;
			if (mark === last) return;
			last = mark;
			if (position.kind === "idle") return;
			const { kind, id, visit } = position;
			const scope = { scope: position.scope };
			const run = kind === "state" ? position.child : undefined;
			by = run ? { by: run.id } : {};
			write({
				kind: "entered",
				what: kind,
				...scope,
				...(run ? { child: brief(run.name) } : {}),
				id,
				visit,
				at: Date.now(),
			});
		},
	};
}

function recordCalls(pi: ExtensionAPI, write: (line: JournalLine) => void): void {
	const open = new Map<string, { order: number; with: string }>();
	let made = 0;
	pi.on("tool_execution_start", ({ toolCallId, args }) => {
		made += 1;
		open.set(toolCallId, { order: made, with: describeArguments(args) });
	});
	pi.on("tool_execution_end", ({ toolCallId, toolName, isError, durationMs, result }) => {
		// pi has no duration for a call that a rule refused, because it never ran.
		const outcome = !isError ? "ok" : durationMs === undefined ? "refused" : "failed";
		const reason =
			outcome === "ok" ? {} : { reason: reasonOf(contentText((result as { content?: unknown } | null)?.content)) };
		const call = open.get(toolCallId) ?? { order: made, with: "" };
		open.delete(toolCallId);
		write({ kind: "called", ...call, id: toolCallId, tool: toolName, outcome, ...reason, at: Date.now() });
	});
}

/** The line of a refusal that names policy and rule, `… [guard: no-delete]`; otherwise the beginning. */
function reasonOf(text: string): string {
	return brief(text.split("\n").find((line) => /\[[\w-]+: [^\]]+\]\s*$/.test(line)) ?? text);
}

/** The main argument of a call: its path, command, action or target; else all of them, cut. */
function describeArguments(args: unknown): string {
	if (typeof args !== "object" || args === null) return "";
	const { path, command, action, target_state: target } = args as Record<string, unknown>;
	const main = [path, command, action, target].find((value) => typeof value === "string");
	return brief(String(main ?? JSON.stringify(args)), 120);
}

/** A small file that most projects have, else the first one by name. */
function findSample(folder: string): string | undefined {
	const files = readdirSync(folder, { withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map(({ name }) => name)
		.sort();
	return files.find((name) => /^readme/i.test(name)) ?? files.find((name) => !name.startsWith(".")) ?? files[0];
}
