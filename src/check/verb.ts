// The verb `pi-chronicle check`.
import { commonOptions, commonUsage, type Verb } from "../chronicle/index.ts";
import { kinds } from "./finding.ts";
import { findingLines } from "./lines.ts";
import { checkProject } from "./project-check.ts";

export const check: Verb = {
	name: "check",
	usage: `pi-chronicle check [options] [file, folder or name…]

Everything that the project and you have here: workflows, chronicle templates, agents, teams, rule files, scenarios, saved sequences,
each problem with its place. Of templates also whether the agents, models and rules that they name are there. Files of other tools are named and left alone.

${commonUsage}
Exit code: 0 sound, 2 something cannot be used as it is.
`,
	grammar: { options: commonOptions },
	needs: "nothing",
	async perform({ parsed, project, output }) {
		const checked = await checkProject(project, parsed.names);
		const counts = Object.fromEntries(
			Object.keys(kinds).map((kind) => {
				const found = checked.findings.filter((finding) => finding.kind === kind);
				return [kind, { found: found.length, usable: found.filter(({ loads }) => loads).length }];
			}),
		);
		const { findings: files, ...rest } = checked;
		output.result(findingLines(checked, project.place.cwd), { ...rest, counts, files });
		return checked.sound ? 0 : 2;
	},
};
