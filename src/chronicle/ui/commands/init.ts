// `init`: copies one of the package's definitions into the project. The copy then takes precedence over the package's.
import { thereAre } from "../../../definition/index.ts";
import { exitCodes } from "../../../pi/index.ts";
import { copyLines, copyShipped, shippedNames } from "../../../shipped/index.ts";
import { type Command, misuse, refused } from "./command.ts";

export const initCommand: Command = {
	name: "init",
	takes: "<name>",
	details: `Copies a shipped definition into the project's .pi, with the agents that it names and its scenario, so that you can change
it. Existing files are not changed. From then on, the project's copy is used.`,
	exits: "0, 1 it cannot be written, 2 no such definition, or the project already has one of that name",
	maxNames: 1,
	needs: "nothing",
	runs: "none",
	async perform({ parsed, project, host: { prefix } }) {
		const [name] = parsed.names;
		if (name === undefined) return misuse(`Name a definition: ${prefix}init <name>. ${thereAre(shippedNames(), "")}`);
		const { cwd, trust } = project.place;
		try {
			const copied = copyShipped(name, cwd);
			if ("message" in copied) return refused({ code: "not-copied", ...copied });
			return { kind: "done", lines: copyLines(copied, cwd, trust === "trusted"), data: { ...copied } };
		} catch (error) {
			const { message } = error as Error;
			const remedy = "Make the folder writable.";
			return refused({
				code: "io",
				message: `The definition cannot be copied: ${message}`,
				remedy,
				exitCode: exitCodes.failed,
			});
		}
	},
};
