// The command `pi-chronicle check`.

import { exitCodes } from "../../pi/index.ts";
import type { Command } from "../../ui/index.ts";
import { kinds } from "./finding.ts";
import { findingLines } from "./lines.ts";
import { checkProject } from "./project-check.ts";

export const check: Command = {
	name: "check",
	takes: "[file, folder or name…]",
	details: `Checks all definitions of the project and your own (workflows, chronicle templates, agents, teams, rule files, scenarios, saved sequences) and lists
each problem with its position. For templates, it also checks the agents, models and rules that they name. Files of other tools are only listed.`,
	exits: "0 valid, 2 something is invalid",
	needs: "nothing",
	async perform({ parsed, project }) {
		const checked = await checkProject(project, parsed.names);
		const counts = Object.fromEntries(
			Object.keys(kinds).map((kind) => {
				const found = checked.findings.filter((finding) => finding.kind === kind);
				return [kind, { found: found.length, usable: found.filter(({ loads }) => loads).length }];
			}),
		);
		const { findings: files, ...rest } = checked;
		return {
			kind: "done",
			lines: findingLines(checked, project.place.cwd),
			data: { ...rest, counts, files },
			exitCode: checked.sound ? exitCodes.done : exitCodes.usage,
		};
	},
};
