// The user's answer before a run starts in a folder that is more than a project, such as the home folder.
import { exitCodes } from "../../../pi/index.ts";
import { OWN_COMMAND, type Preparation, wideFolder } from "../../engine/index.ts";
import { type CommandCall, type CommandResponse, refused } from "./command.ts";

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
