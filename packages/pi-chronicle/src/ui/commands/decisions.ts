// What a user decides before a run starts or continues: the cleanup commands of its template, a folder that is more than a project, an edited
// template; and the warning about secrets in what they wrote.

import type { TemplateReload } from "@pi-chronicle/core/machine";
import {
	neighbourNotes,
	OWN_COMMAND,
	type Preparation,
	pinTemplate,
	prepareStart,
	wideFolder,
	workerSettings,
} from "../../local/index.ts";
import { exitCodes } from "../../pi/index.ts";
import { openRedaction } from "../../safety/index.ts";
import { cleanupLines, cleanupTitle } from "../phrases/index.ts";
import { type CommandCall, type CommandResponse, failed, interrupted, refused } from "./command.ts";

/** Whether the template's cleanup commands may run, or the reason why nothing is started. `command`: the command line that starts the run. */
export async function decideCleanup(
	{ host, parsed: { flags }, project: { place } }: CommandCall,
	{ cleanup, found }: Extract<Preparation, { kind: "ready" }>,
	command = "run",
): Promise<"approved" | "own" | "none" | CommandResponse> {
	if (!cleanup || flags.has("without-cleanup")) return "none";
	const lines = cleanupLines(cleanup.commands);
	if (flags.has("approve-cleanup")) {
		host.warn(["commands that may run:", ...lines].join("\n"));
		return "approved";
	}
	if (cleanup.standing !== "unknown") return cleanup.standing;
	if (host.approveCleanup) {
		const answer = await host.approveCleanup(found.key, lines);
		return answer ?? { kind: "done", lines: ["Nothing was started."], data: {} };
	}
	return refused({
		code: "cleanup-not-approved",
		exitCode: exitCodes.waits,
		message: `${cleanupTitle(found.key)}. You have not approved them in this form, so nothing was started.`,
		remedy: `Review them, then start it with ${place.shell ?? OWN_COMMAND}${command} --approve-cleanup or --without-cleanup.`,
		lines,
	});
}

/** Why nothing is started; `undefined` if the folder is a usual one, or the user allows it. */
export async function decideFolder(
	{ host, parsed: { flags }, project: { place } }: CommandCall,
	{ found }: Extract<Preparation, { kind: "ready" }>,
): Promise<CommandResponse | undefined> {
	if (flags.has("in-home")) return undefined;
	const folder = wideFolder(place, found.read.template);
	if (folder === undefined) return undefined;
	const files = `The files of this run would be those of ${folder}: all that git does not ignore is stored for rewinds, which change or remove it. Credentials and pi's own files are left out.`;
	if (host.confirm) {
		const agreed = await host.confirm({
			title: `Start "${found.key}" in ${folder}?`,
			lines: [files],
			no: "No, start nothing",
			yes: "Yes, start it here",
			leave: "Esc cancels",
		});
		return agreed ? undefined : { kind: "done", lines: ["Nothing was started."], data: {} };
	}
	return refused({
		code: "home-folder",
		exitCode: exitCodes.waits,
		message: `${files} So nothing was started.`,
		remedy: `Start it in the project's folder, or here with ${place.shell ?? OWN_COMMAND}run --in-home.`,
	});
}

/** Whether the run works in a copy of the project, or why nothing is started. */
export async function decideApart(
	{ host, parsed: { flags }, project: { place, engine } }: CommandCall,
	{ neighbours, found }: Extract<Preparation, { kind: "ready" }>,
): Promise<boolean | CommandResponse> {
	const isApart = flags.has("apart");
	if (isApart && flags.has("here"))
		return refused({ code: "usage", message: "--apart and --here exclude each other: give one of them." });
	if (engine && isApart)
		return refused({
			code: "usage",
			message: "On an engine, each run works in a folder of its own anyway, and its result is a branch of the remote.",
			remedy: "Leave out --apart.",
		});
	if (engine || flags.has("here")) return false;
	const { apart } = workerSettings(place);
	if (isApart || apart !== "ask" || neighbours.length === 0) return isApart || apart === "always";
	const where = await host.chooseFolder?.(found.key, neighbours);
	return where === "nowhere" ? { kind: "done", lines: ["Nothing was started."], data: {} } : where === "apart";
}

/** The current template of run `id`, or why it cannot be used; `undefined` if the command does not request it. */
export async function reloadFor(call: CommandCall, id: string): Promise<TemplateReload | CommandResponse | undefined> {
	if (!call.parsed.flags.has("reload")) return undefined;
	const { project, host, signal } = call;
	const read = await project.store.read(id);
	if (!read.ok) return failed(read.failure);
	const { template, parent } = read.value.run;
	if (template.file === undefined)
		return refused({
			code: "refused",
			run: id,
			message: `The template of this run is not a file${parent ? `; it is part of its parent's: rewind ${parent.run.slice(0, 8)} ${parent.visit} --reload` : ""}.`,
		});
	const prepared = await prepareStart(project, template.name, signal, id);
	if (signal.aborted) return interrupted;
	if (prepared.kind === "refused") return refused({ ...prepared, code: "invalid", run: id });
	const cleanup = await decideCleanup(call, prepared, "resume --reload");
	if (typeof cleanup === "object") return cleanup;
	const notes = [...prepared.notes, ...neighbourNotes(prepared.neighbours)];
	if (notes.length > 0) host.warn(notes.join("\n"));
	const pinned = await pinTemplate(project, prepared, cleanup);
	return pinned.ok ? pinned.value : failed(pinned.failure);
}

/** Explains that the text is stored and passed on without its secrets. */
export function explainRedaction(text: "task" | "words"): string {
	const which = text === "task" ? "The task contains" : "The message contains";
	return `${which} something that looks like a secret. It is stored and passed to workers as •••. Instead, name a variable or a file that contains it.`;
}

/** Whether the store would redact something in `text`. */
export function holdsSecret(text: string, env: NodeJS.ProcessEnv = process.env): boolean {
	return openRedaction(env)(text) !== text;
}
