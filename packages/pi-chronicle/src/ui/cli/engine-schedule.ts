// `engine schedule`: adds, lists and removes runs at the times of a cron expression.

import { pinTemplate, prepareStart, resolveModel } from "../../local/index.ts";
import { exitCodes, shortTime } from "../../pi/index.ts";
import { type CommandCall, type CommandResponse, decideCleanup, failed, misuse, refused } from "../commands/index.ts";
import { headLine } from "../phrases/index.ts";
import type { EngineCall } from "./engine-call.ts";
import { timerLines } from "./timer-lines.ts";

const usage =
	'engine schedule add "<minute> <hour> <day> <month> <weekday>" <template> <task…> | list | remove <schedule>';

function ownZone(): string {
	return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

export async function runSchedule(call: EngineCall): Promise<CommandResponse> {
	const [what, ...rest] = call.rest;
	const found = await call.engine.findProject(call.database, call.project.place.cwd, call.setting.project);
	if (!found.ok) return failed(found.failure, exitCodes.usage);
	const { name } = found.value;
	switch (what) {
		case "add":
			return createSchedule(call, name, rest);
		case "list":
			return showSchedules(call, name);
		case "remove":
			return remove(call, name, rest);
		default:
			return misuse(`Use ${usage}.`);
	}
}

interface WrittenSchedule {
	readonly cron: string;
	readonly template: string;
	readonly task: string;
}

function readSchedule([cron, template, ...task]: readonly string[]): WrittenSchedule | undefined {
	if (cron === undefined || template === undefined || task.length === 0) return undefined;
	return { cron, template, task: task.join(" ") };
}

/** Without an engine: the lines for this machine's own schedulers. */
export function scheduleHere({ parsed, project: { place } }: CommandCall): CommandResponse {
	const [, what, ...rest] = parsed.names;
	const written = what === "add" ? readSchedule(rest) : undefined;
	if (!written)
		return misuse(
			`Without an engine there is only: ${usage.split(" | ")[0]}. It prints the lines for cron and systemd.`,
		);
	const zone = parsed.values.zone ?? ownZone();
	const lines = timerLines({ ...written, zone, cwd: place.cwd });
	if ("error" in lines) return misuse(lines.error);
	return { kind: "done", lines: lines.all, data: { crontab: lines.crontab, systemd: lines.systemd } };
}

async function createSchedule(call: EngineCall, name: string, rest: readonly string[]): Promise<CommandResponse> {
	const { engine, database, project, parsed, host, signal, setting } = call;
	const { checkNames, folderInRepository, scheduledStart } = engine;
	const { values, flags } = parsed;
	const { queue = engine.usualQueue, labels = [] } = setting;
	const wrong = checkNames([queue, ...labels]);
	if (wrong) return failed(wrong, exitCodes.usage);
	const written = readSchedule(rest);
	if (!written) return misuse(`Name times, template and task: ${usage.split(" | ")[0]}.`);
	const prepared = await prepareStart(project, written.template, signal);
	if (prepared.kind === "refused") return refused({ ...prepared, code: "invalid" });
	const model = values.model === undefined ? undefined : await resolveModel(project, values.model);
	if (typeof model === "object") return refused(model);
	const cleanup = await decideCleanup(call, prepared, "engine schedule add");
	if (typeof cleanup === "object") return cleanup;
	if (prepared.notes.length > 0) host.warn(prepared.notes.join("\n"));
	const pinned = await pinTemplate(project, prepared, cleanup);
	if (!pinned.ok) return failed(pinned.failure);
	const zone = values.zone ?? ownZone();
	const added = await engine.addSchedule(database, {
		project: name,
		queue: engine.queueName(name, queue, labels),
		priority: setting.priority ?? 0,
		...{ cron: written.cron, zone, branch: values.branch, overlap: flags.has("overlap") },
		folder: await folderInRepository(project.place.cwd),
		start: scheduledStart(pinned.value, written.task, model),
	});
	if (!added.ok) return failed(added.failure, exitCodes.usage);
	const [made] = (await engine.listSchedules(database, name)).filter(({ id }) => id === added.value);
	const next = made?.next ? ` Next: ${made.next}.` : "";
	const lines = [`Scheduled ${written.template} (${added.value}) at ${written.cron}, ${zone}.${next}`];
	return { kind: "done", lines, data: { id: added.value, next: made?.next ?? null } };
}

async function showSchedules({ engine, database }: EngineCall, name: string): Promise<CommandResponse> {
	const schedules = await engine.listSchedules(database, name);
	const age = (at: string | null): string => (at === null ? "" : `, ${shortTime(Date.now() - Date.parse(at))} ago`);
	const lines = schedules.flatMap(
		({ id, cron, zone, template, task, next, run, status, at, skipped, note, branch }) => [
			`${id.slice(0, 8)}  ${cron} (${zone}) · ${template}: ${headLine(task)}${branch === null ? "" : ` · branch ${branch}`}`,
			`          next ${next ?? "never"}${run === null ? "" : ` · last run ${run.slice(0, 8)} ${status ?? "removed"}${age(at)}`}`,
			...(note === null ? [] : [`          ${skipped > 0 ? `skipped ${skipped} times: ` : ""}${note}`]),
		],
	);
	return { kind: "done", lines: lines.length > 0 ? lines : ["No schedules."], data: { schedules } };
}

async function remove(call: EngineCall, name: string, [which, surplus]: readonly string[]): Promise<CommandResponse> {
	if (which === undefined || surplus !== undefined) return misuse("remove needs one schedule: engine schedule list.");
	const removed = await call.engine.removeSchedule(call.database, name, which);
	if (!removed.ok) return failed(removed.failure, exitCodes.usage);
	const lines = [`Removed the schedule ${removed.value.slice(0, 8)}; its runs stay.`];
	return { kind: "done", lines, data: { id: removed.value } };
}
