// Other packages that use names of commands of this one. pi numbers them, so neither works as its documentation says.

import { dirname, join } from "node:path";
import { jsonObject, realPathOf } from "../../disk/index.ts";
import type { PiSurvey, SurveyedCommand } from "../../pi/index.ts";
import { type DoctorFinding, fine, unknownFinding } from "./examination.ts";

const ownName = "pi-chronicle";

/** Every command that has a name of this package, each with what to do. */
export function examineCommands(survey: PiSurvey): readonly DoctorFinding[] {
	if (survey.kind === "silent") return [unknownFinding];
	if (!survey.commands.some(({ file }) => packageName(file) === ownName)) return [notLoaded];
	const findings = commandClashes(survey.commands);
	return findings.length > 0 ? findings : [fine("no other package has the same commands")];
}

const notLoaded: DoctorFinding = {
	state: "warning",
	text: "pi does not load this package: it has no /chronicle and no /workflow.",
	remedy: "Run `pi install npm:pi-chronicle`, or start pi with `-e` and the package's folder.",
};

/** pi numbers commands of the same name. */
function commandClashes(commands: readonly SurveyedCommand[]): DoctorFinding[] {
	const numbered = Map.groupBy(commands, ({ name }) => /^(.+):\d+$/.exec(name)?.[1]);
	return [...numbered].flatMap(([base, same]): DoctorFinding[] => {
		const ours = same.find(({ file }) => packageName(file) === ownName);
		if (base === undefined || !ours) return [];
		const others = same.filter((command) => command !== ours).map(({ file }) => packageName(file) ?? file);
		return [
			{
				state: "warning",
				text: `/${base} is also a command of ${others.join(", ")}; pi calls the one of this package /${ours.name}.`,
				remedy: `Type /${ours.name}, or remove the other package with \`pi remove\`.`,
			},
		];
	});
}

/** The name of the nearest package above a file; none for a file that is gone. */
function packageName(file: string): string | undefined {
	let folder = realPathOf(file);
	while (folder !== undefined && folder !== dirname(folder)) {
		folder = dirname(folder);
		const { name } = jsonObject(join(folder, "package.json")) ?? {};
		if (typeof name === "string") return name;
	}
	return undefined;
}
