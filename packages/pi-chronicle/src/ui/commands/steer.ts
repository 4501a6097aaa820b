// Commands that steer a run: each is delivered to the process that supervises the run; a run without a supervisor is resumed here.

import { awaitedAnswer, type Run, unansweredQuestion } from "@pi-chronicle/core/machine";
import type { ReadLedger } from "@pi-chronicle/core/ports";
import {
	exitCodeOfEnd,
	type Project,
	resolveModel,
	type SupervisionEnd,
	templateChange,
	waitingChildren,
} from "../../local/index.ts";
import { exitCodes } from "../../pi/index.ts";
import { listedCommands } from "../command-list.ts";
import { askedLines, commandAbout, nextStep, runData, statusLines } from "../phrases/index.ts";
import type { ParsedArguments } from "./arguments.ts";
import { askingChildren, asksAnswer, asksApproval } from "./child-dispatch.ts";
import {
	type Command,
	type CommandCall,
	type CommandHost,
	type CommandResponse,
	failed,
	noWaitUsage,
	refused,
} from "./command.ts";
import { explainRedaction, holdsSecret, reloadFor } from "./decisions.ts";
import type { DispatchResult } from "./delivery.ts";
import { dispatch } from "./dispatch.ts";
import { askOnce, confirmRewind, previewRewind } from "./rewind.ts";
import type { RunCommand } from "./run-command.ts";
import { askingElsewhere, resolveRun } from "./run-name.ts";
import { type Make, type Misuse, onlyNumber, type Steering, steerings } from "./steering.ts";

export const steeringCommands: readonly Command[] = steerings.map((steering) => ({
	name: steering.name,
	takes: steering.takes,
	details: `${aboutCommand(steering.name)} ${steering.explained}
Name the run by its id, a prefix of it, or \`last\`; the default is the running one, otherwise the last one.`,
	exits: "as for run if the run continues here; otherwise 0 delivered, 1 not recorded, 2 does not apply",
	options: `  --run <run>     the run, if its name could be mistaken for text\n${steering.options ?? ""}`,
	shellOptions: noWaitUsage,
	text: "run",
	needs: "pi",
	perform: (call) => steer(steering, call),
}));

function aboutCommand(name: string): string {
	const about = listedCommands.find((command) => command.name === name)?.about ?? "";
	return `${about.charAt(0).toUpperCase()}${about.slice(1)}.`;
}

async function steer(steering: Steering, call: CommandCall): Promise<CommandResponse> {
	const { project, host, text: words } = call;
	const parsed = onlyNumber(steering, call.parsed);
	const { names, values } = parsed;
	const model = values.model === undefined ? undefined : await resolveModel(project, values.model);
	if (typeof model === "object") return refused(model);
	const made = steering.make(parsed, model);
	if ("code" in made) return refused(made);
	const named = values.run ?? names[0];
	const found = await resolveRun(project, named, [...host.supervised.keys()]);
	if (!found.ok) return failed(found.failure);
	const id = await targetOf(call, steering.name, found.value);
	if (typeof id === "object") return refused(id);
	const bound =
		id === found.value ? made : await makeForChild(project, found.value, (rest) => steering.make(rest, model), parsed);
	const reload = await reloadFor(call, id);
	if (reload && "kind" in reload) return reload;
	if (holdsSecret(words)) host.warn(explainRedaction("words"));
	const supervised = host.supervised.get(id);
	const asksAgain = isBareAnswer(steering, call) && host.hasScreen && !supervised;
	if (parsed.flags.has("dry-run")) return previewRewind(call, id, (ledger) => bound(ledger, words, reload));
	const confirmed = askOnce((rewind, ledger) => confirmRewind(call, rewind, ledger));
	const make = async (ledger: ReadLedger): Promise<RunCommand> => {
		if (asksAgain && asksAnswer(ledger.run) && isFree(project, ledger)) return { kind: "nothing" };
		const command = sentThrough(await bound(ledger, words, reload), host.via);
		if (asksAgain && command.kind === "answer" && isFree(project, ledger)) return { kind: "nothing" };
		return steering.name === "rewind" && command.kind === "events" ? confirmed(command, ledger) : command;
	};
	const result = await dispatch(project, id, make, {
		approver: host.approver(project, asksAgain ? "called" : "uncalled"),
		notice: host.warn,
		live: supervised,
		supervisors: host.supervisors,
		afterwards: steering.afterwards,
		signal: call.signal,
	});
	if (result.kind !== "refused") return deliveryResult(steering.name, call, id, result);
	const elsewhere = named === undefined ? await askedElsewhere(project, id, steering) : "";
	return refused({ code: "refused", message: `${result.message}${elsewhere}`, run: id });
}

/** The command with what its events are sent through. */
function sentThrough(command: RunCommand, via: string): RunCommand {
	switch (command.kind) {
		case "answer":
			return { ...command, approval: { ...command.approval, via } };
		case "events":
			return { ...command, events: command.events.map((event) => ({ ...event, via })) };
		case "nothing":
		case "refused":
			return command;
	}
}

/** The other runs that wait for such an answer, as the end of a message. */
async function askedElsewhere(project: Project, id: string, steering: Steering): Promise<string> {
	return answers(steering) ? askingElsewhere(project, id, steering.name) : "";
}

/** On a screen, an approval without text and choice, or an answer without text, shows the question again. */
function isBareAnswer({ name }: Steering, { text, parsed }: CommandCall): boolean {
	return (name === "approve" || name === "answer") && text === "" && parsed.values.choice === undefined;
}

function answers({ name }: Pick<Steering, "name">): boolean {
	return name === "approve" || name === "reject" || name === "answer";
}

/** The target run of a command: an answer goes to the only child that asks. */
async function targetOf(
	{ project, host, parsed }: CommandCall,
	name: string,
	id: string,
): Promise<string | { readonly code: string; readonly message: string; readonly run: string }> {
	const { child } = parsed.values;
	const read = await project.store.read(id);
	if (!read.ok || !answers({ name }) || (!read.value.run.children && child === undefined)) return id;
	const asks = name === "answer" ? asksAnswer : asksApproval;
	const all = await askingChildren(project, read.value.run, asks);
	const asking = child === undefined ? all : await askingChildren(project, read.value.run, asks, child);
	const [only] = asking;
	if (only && asking.length === 1) return only.id;
	if (asking.length === 0 && child === undefined) return id;
	const what = asking.length === 0 ? `No child "${child}" asks.` : `${asking.length} children ask. Name one.`;
	const lines = (asking.length === 0 ? all : asking).flatMap((run) => askingLines(run, name, host.prefix));
	return { code: "refused", message: [what, ...lines].join("\n"), run: id };
}

function askingLines(run: Run, name: string, prefix: string): string[] {
	const question = unansweredQuestion(run);
	const asked = question ? askedLines(question) : (nextStep(run)?.what ?? "").split("\n");
	const short = run.id.slice(0, 8);
	const words = name === "approve" ? "" : " <words>";
	const command = `${prefix}${commandAbout(run, `${name}${words}`)}`;
	return [`${run.parent?.name ?? run.state} (${short}): ${asked.join("\n")}`, `  ${command}`];
}

/**
 * The command for a child that asks. What is printed for its parent names what the parent waits for, while the child's question is another
 * event: that number is checked against the parent.
 */
async function makeForChild(
	project: Project,
	parent: string,
	make: (parsed: ParsedArguments) => Make | Misuse,
	parsed: ParsedArguments,
): Promise<Make> {
	const { answers, ...values } = parsed.values;
	const read = await project.store.read(parent);
	const isCurrent = read.ok && answers !== undefined && awaitedAnswer(read.value.run) === Number(answers);
	const made = make(isCurrent ? { ...parsed, values } : parsed);
	return "code" in made ? () => ({ kind: "refused", message: made.message }) : made;
}

/** Whether this process may ask: no other process has the run, or none that could ask. */
function isFree({ engine }: Project, { holder }: ReadLedger): boolean {
	return engine !== undefined || !holder || holder.alive === "no";
}

type ResultCall = Pick<CommandCall, "project" | "host"> & Partial<Pick<CommandCall, "parsed">>;

/** The result of a delivered command; supervises a run that was resumed here. */
async function deliveryResult(
	name: string,
	call: ResultCall,
	id: string,
	result: Exclude<DispatchResult, { kind: "refused" }>,
): Promise<CommandResponse> {
	const { project, host } = call;
	switch (result.kind) {
		case "failed":
			return failed(result.failure);
		case "attended":
			return attendResumed(name, call, result);
		case "said":
		case "postponed":
		case "recorded":
		case "taken":
		case "left": {
			const read = await project.store.read(id);
			if (!read.ok) return failed(read.failure);
			const how = deliveryText(name, result, project.engine ? "a host of the engine" : undefined, resumeLine(host, id));
			const seen = await lookAt(project, host, read.value);
			const data = { exitCode: exitCodes.done, heard: result.kind, ...seen.data };
			const notice = { text: how, tone: result.kind === "left" ? "warning" : "info" } as const;
			const { run } = read.value;
			// A message that answers no question does not resume the run.
			const continues = project.engine !== undefined && name !== "tell" && result.kind !== "postponed";
			return {
				kind: "done",
				lines: [...(how === "" ? [] : [how]), ...seen.lines],
				data,
				notice,
				...(continues ? { follow: run.parent?.root ?? run.id } : {}),
			};
		}
	}
}

async function attendResumed(
	name: string,
	call: ResultCall,
	{ live, before, child }: DispatchResult & { kind: "attended" },
): Promise<CommandResponse> {
	const { project, host, parsed } = call;
	const change = parsed?.flags.has("reload") ? undefined : templateChange(project, before);
	const notes = [change, ...live.ledger.repairs].filter((note) => note !== undefined);
	if (notes.length > 0) host.warn(notes.join("\n"));
	const end = await host.attend(project, live);
	const stopped = await stopResult(call, live.id, end);
	if (end?.kind !== "parked" || stopped.kind !== "done") return stopped;
	// The command has succeeded, regardless of what the run waits for now.
	if (name === "rewind") {
		const read = child ? await project.store.read(child.id) : undefined;
		const restored = isRestored(child ?? before, read?.ok ? read.value.run : end.run);
		return { ...stopped, exitCode: restored ? exitCodes.done : exitCodes.failed };
	}
	return name === "pause" || name === "abort" ? { ...stopped, exitCode: exitCodes.done } : stopped;
}

function resumeLine({ prefix }: CommandHost, id: string): string {
	return `${prefix}resume ${id.slice(0, 8)} --queued`;
}

/** `reader`: who reads what no process of this machine does; `resume`: the command that has it read. */
function deliveryText(
	name: string,
	result: Exclude<DispatchResult, { kind: "refused" | "failed" | "attended" }>,
	reader: string | undefined,
	resume: string,
): string {
	switch (result.kind) {
		case "said":
			return name === "tell" ? "The worker reads it with its next message." : "";
		case "postponed":
			return "";
		case "recorded":
			return "Recorded; the next worker reads it.";
		case "taken":
			return result.holder
				? `Delivered: the supervisor (pid ${result.holder.pid}) has read it.`
				: `Delivered: ${reader ?? "the process that continues the run"} has read it.`;
		case "left":
			return result.holder
				? `Queued; the supervisor (pid ${result.holder.pid}) has not read it yet.`
				: reader === undefined
					? `Queued: no process supervises the run. ${resume} carries it out.`
					: `Queued; ${reader} has not read it yet.`;
	}
}

function isRestored(before: Run, { kept }: Run): boolean {
	const last = kept.at(-1);
	return last?.rewound?.left === 0 && last.seq > before.seq;
}

/** The status of a run whose supervision has ended here; silent if the host reports the end itself. */
export async function stopResult(
	{ project, host }: Pick<CommandCall, "project" | "host">,
	id: string,
	end: SupervisionEnd | undefined,
): Promise<CommandResponse> {
	if (!end) return { kind: "silent", exitCode: exitCodes.done };
	const exitCode = exitCodeOfEnd(end);
	if (end.kind === "failed") return failed(end.failure, exitCode);
	const read = await project.store.read(id);
	if (!read.ok) return failed(read.failure, exitCode);
	const { lines, data } = await lookAt(project, host, read.value);
	return { kind: "done", lines, data: { exitCode, ...data }, exitCode };
}

async function lookAt(
	project: Project,
	{ prefix }: CommandHost,
	read: ReadLedger,
): Promise<{ lines: string[]; data: object }> {
	const now = new Date(project.clock.now()).toISOString();
	const below = await waitingChildren(project.store, read.run);
	const lines = statusLines(read, { now, prefix, cwd: project.place.cwd, below });
	return { lines, data: runData(read, below) };
}
