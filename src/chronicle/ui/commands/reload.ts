// `--reload`: a run continues with the current version of its template. It is validated like a new run's, and its cleanup commands need
// approval.
import type { TemplateReload } from "../../core/index.ts";
import { pinTemplate, prepareStart } from "../../engine/index.ts";
import { type CommandCall, type CommandResponse, failed, interrupted, refused } from "./command.ts";
import { decideCleanup } from "./decide-cleanup.ts";

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
	if (prepared.notes.length > 0) host.warn(prepared.notes.join("\n"));
	const pinned = await pinTemplate(project, prepared, cleanup);
	return pinned.ok ? pinned.value : failed(pinned.failure);
}
