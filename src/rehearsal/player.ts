// What a process of a rehearsal loads beside its own extension: the understudy as a provider, and the recorder of the journal.
// C1 with a scenario that cannot be read every request fails and says so: a rehearsal never runs on something else than what was asked.
import { readdirSync } from "node:fs";
import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import { formatDiagnostic } from "../definition/index.ts";
import { type CallSheet, readCallSheet, type Welcome } from "./call-sheet.ts";
import { brief, type JournalLine, note } from "./journal.ts";
import { placeInSession, type SessionPlace, type Standing } from "./place.ts";
import { understudyProvider } from "./provider.ts";
import { automaticScenario, type Cue, type Scenario, type Script } from "./scenario.ts";
import { readScenarioFile } from "./scenario-file.ts";
import { findScenario } from "./scenario-place.ts";
import { answer, type Place } from "./understudy.ts";
import { placeInRun, type RunSoFar, readRunSoFar, type WorkerPart } from "./worker-place.ts";

type Session = ExtensionContext["sessionManager"];

/** Takes part in the rehearsal that the call sheet at `path` belongs to; `part` in the process of a chronicle's worker. */
export function takePart(pi: ExtensionAPI, path: string, part?: WorkerPart): void {
	const sheet = readCallSheet(path);
	const scenarios = openScenarios(sheet);
	let session: Session | undefined;
	let sampleFile: string | undefined;
	let soFar: RunSoFar | undefined;
	const look = (): SessionPlace => {
		if (!session) return { place: { kind: "idle", turn: 0 }, standing: "none" };
		const branch = session.getBranch();
		if (!part) return placeInSession(branch);
		soFar ??= readRunSoFar(part, session.getCwd());
		return { place: placeInRun(part, soFar, branch, sheet.route), standing: "open" };
	};
	const record = openRecorder(sheet.journal);

	pi.registerProvider(
		understudyProvider({
			tokensPerSecond: sheet.tokensPerSecond,
			answer(request) {
				const here = look().place;
				record.entered(here);
				const reply = answer(scenarios.of(here), { ...request, place: here, sampleFile });
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
	if (sheet.welcome) welcomePerson(pi, sheet.welcome, () => look().standing);
	if (sheet.journal === undefined) return;
	recordCalls(pi, record.write);
	pi.on("agent_settled", ({ aborted }) =>
		record.write({ kind: "settled", aborted, standing: look().standing, at: Date.now() }),
	);
	// A person's command may have ended the run without anything to settle.
	pi.on("session_shutdown", () =>
		record.write({ kind: "settled", aborted: false, standing: look().standing, at: Date.now() }),
	);
}

/** Shows the hint, and lays the next thing to try into an empty editor: one at the start, one after each run that is over. */
function welcomePerson(pi: ExtensionAPI, { hint, ready }: Welcome, standing: () => Standing): void {
	const left = [...ready];
	const offer = ({ mode, ui }: ExtensionContext): void => {
		if (mode !== "tui" || ui.getEditorText() !== "") return;
		const next = left.shift();
		if (next !== undefined) ui.setEditorText(next);
	};
	pi.on("session_start", (_event, ctx) => {
		if (ctx.mode === "tui") ctx.ui.setWidget("rehearsal", [...hint]);
		offer(ctx);
	});
	pi.on("agent_settled", (_event, ctx) => {
		if (standing() === "done") offer(ctx);
	});
}

/** What a planned script says for the visit at hand; nothing is done in one that it does not name. */
function plannedScenario(script: Script, place: Place): Scenario {
	if (place.kind === "idle") return automaticScenario;
	const phase = place.kind === "phase";
	const visit = `${phase ? `${place.scope}/${place.id}` : place.id}#${place.visit}`;
	const cues = (phase ? undefined : script[`${visit}.${place.attempt}`]) ?? script[visit] ?? Array(50).fill(idleCue);
	const scripts = new Map([[place.id, cues]]);
	return { ...automaticScenario, ...(phase ? { phases: scripts } : { states: scripts }) };
}

const idleCue: Cue = {
	say: "Nothing is planned here.",
	calls: [],
	exit: undefined,
	waitMs: 0,
	fail: undefined,
	person: undefined,
};

/** The scenario for a place: the one that the call sheet names, else the project's own for the definition that runs, else none. */
function openScenarios({ scenario: named, script }: CallSheet) {
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
		of(place: Place): Scenario {
			if (script) return plannedScenario(script, place);
			if (named !== undefined) return load(named);
			if (place.kind === "idle") return last;
			const file = findScenario(this.project, place.kind === "phase" ? "workflow" : "chronicle", place.root);
			last = file === undefined ? automaticScenario : load(file);
			return last;
		},
	};
}

function loadScenario(file: string): Scenario {
	const { scenario, diagnostics } = readScenarioFile(file);
	if (scenario) return scenario;
	throw new Error(`The scenario cannot be used.\n${diagnostics.map((found) => formatDiagnostic(found)).join("\n")}`);
}

function openRecorder(journal: string | undefined) {
	let last = "";
	const write = (line: JournalLine): void => {
		if (journal !== undefined) note(journal, line);
	};
	return {
		write,
		/** Records a place when it is another than before. */
		entered(place: Place): void {
			const mark = place.kind === "idle" ? "" : `${place.kind} ${place.id} ${place.visit}`;
			if (mark === last) return;
			last = mark;
			if (place.kind === "idle") return;
			const { kind, id, visit } = place;
			const scope = place.kind === "phase" ? { scope: place.scope } : {};
			write({ kind: "entered", what: kind, ...scope, id, visit, at: Date.now() });
		},
	};
}

function recordCalls(pi: ExtensionAPI, write: (line: JournalLine) => void): void {
	const open = new Map<string, { order: number; with: string }>();
	let made = 0;
	pi.on("tool_execution_start", ({ toolCallId, args }) => {
		made += 1;
		open.set(toolCallId, { order: made, with: describe(args) });
	});
	pi.on("tool_execution_end", ({ toolCallId, toolName, isError, durationMs, result }) => {
		// A call that was stopped by a rule never ran, so pi has no duration for it.
		const outcome = !isError ? "ok" : durationMs === undefined ? "refused" : "failed";
		const reason = outcome === "ok" ? {} : { reason: telling(textOf(result)) };
		const call = open.get(toolCallId) ?? { order: made, with: "" };
		open.delete(toolCallId);
		write({ kind: "called", ...call, tool: toolName, outcome, ...reason, at: Date.now() });
	});
}

/** Of a refusal the line that names policy and rule, `… [guard: no-delete]`; of anything else the beginning. */
function telling(text: string): string {
	return brief(text.split("\n").find((line) => /\[[\w-]+: [^\]]+\]\s*$/.test(line)) ?? text);
}

/** The telling argument of a call: its path, command or action; else all of them, cut. */
function describe(args: unknown): string {
	if (typeof args !== "object" || args === null) return "";
	const { path, command, action, target_state: target } = args as Record<string, unknown>;
	const telling = [path, command, action, target].find((value) => typeof value === "string");
	return brief(String(telling ?? JSON.stringify(args)), 120);
}

function textOf(result: unknown): string {
	const content: unknown = (result as { content?: unknown } | null)?.content;
	if (!Array.isArray(content)) return "";
	return content.map((block: { text?: unknown }) => (typeof block.text === "string" ? block.text : "")).join("\n");
}

/** A small file that most projects have, else the first one by name. */
function findSample(folder: string): string | undefined {
	const files = readdirSync(folder, { withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map(({ name }) => name)
		.sort();
	return files.find((name) => /^readme/i.test(name)) ?? files.find((name) => !name.startsWith(".")) ?? files[0];
}
