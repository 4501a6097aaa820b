// Other packages that use names of this one: commands, tools, flags, keys, skills and prompt templates. pi keeps one of each name, or numbers
// them, so one of the two does not work as its documentation says.

import { dirname, join } from "node:path";
import { folderNames, jsonObject, realPathOf } from "../../disk/index.ts";
import {
	type Inventory,
	isOwnFile,
	type PiSurvey,
	packageRoot,
	type SurveyedCommand,
	updatePiText,
} from "../../pi/index.ts";
import { type DoctorFinding, fine, unknownFinding } from "./examination.ts";

/** This package's tools, each with what needs it. */
const ownTools: Readonly<Record<string, string>> = {
	workflow_step: "/workflow",
	notebook_write: "/notebook",
	notebook_read: "/notebook",
	notebook_index: "/notebook",
	notebook_topic_set: "/notebook",
	handoff: "/handoff",
	spawn: "/spawn on",
	propose_run: "/chronicle tool on",
};

/** This package's keys, each with what it does and when. */
const ownKeys: Readonly<Record<string, string>> = {
	"alt+a": "opens the question of a chronicle that waits",
	"ctrl+enter": "ends the recording of a sequence",
	"alt+up": "moves a step during the recording of a sequence",
	"alt+down": "moves a step during the recording of a sequence",
};

const ownFlag = "chronicle-readonly";
const ownName = "pi-chronicle";
const maxHidden = 5;

export interface InstalledPackages {
	readonly survey: PiSurvey;
	/** `undefined`: it is not known. */
	readonly inventory: Inventory | undefined;
	readonly agentFolder: string;
}

/** Everything that has a name of this package, each with what to do. */
export function examinePackages({ survey, inventory, agentFolder }: InstalledPackages): readonly DoctorFinding[] {
	if (survey.kind === "silent") return [unknownFinding];
	const findings = [
		...commandClashes(survey.commands),
		...(inventory === undefined ? [notListed] : inventoryClashes(inventory, ownCommands(survey.commands))),
		...boundKeys(join(agentFolder, "keybindings.json")),
	];
	const isLoaded = survey.commands.some(({ file }) => packageName(file) === ownName);
	if (!isLoaded) findings.unshift(notLoaded);
	return findings.length > 0
		? findings
		: [fine("no other package has the same commands, tools, keys, skills or prompts")];
}

const notLoaded: DoctorFinding = {
	state: "warning",
	text: "pi does not load this package: it has no /chronicle and no /workflow.",
	remedy: "Run `pi install npm:pi-chronicle`, or start pi with `-e` and the package's folder.",
};

const notListed: DoctorFinding = {
	state: "warning",
	text: "This pi does not list the tools, keys, skills and prompts of packages, so they are not compared.",
	remedy: `${updatePiText()}.`,
};

function clash(text: string, remedy: string): DoctorFinding {
	return { state: "warning", text, remedy };
}

/** pi numbers commands of the same name. */
function commandClashes(commands: readonly SurveyedCommand[]): DoctorFinding[] {
	const numbered = new Map<string, SurveyedCommand[]>();
	for (const command of commands) {
		const [, base] = /^(.+):\d+$/.exec(command.name) ?? [];
		if (base !== undefined) numbered.set(base, [...(numbered.get(base) ?? []), command]);
	}
	return [...numbered].flatMap(([base, same]): DoctorFinding[] => {
		const ours = same.find(({ file }) => packageName(file) === ownName);
		if (!ours) return [];
		const others = same.filter((command) => command !== ours).map(({ file }) => owner(file));
		return [
			clash(
				`/${base} is also a command of ${others.join(", ")}; pi calls the one of this package /${ours.name}.`,
				`Type /${ours.name}, or remove the other package with \`pi remove\`.`,
			),
		];
	});
}

/** Names of this package's commands, without pi's numbers. */
function ownCommands(commands: readonly SurveyedCommand[]): ReadonlySet<string> {
	const own = commands.filter(({ file }) => packageName(file) === ownName);
	return new Set(own.map(({ name }) => name.replace(/:\d+$/, "")));
}

function inventoryClashes(
	{ extensions, skills, prompts, hidden }: Inventory,
	commands: ReadonlySet<string>,
): DoctorFinding[] {
	const skillFolder = join(packageRoot(), "skills");
	const ownSkills = folderNames(skillFolder);
	return [
		...extensions.filter(({ file }) => packageName(file) !== ownName).flatMap(extensionClashes),
		...prompts
			.filter(({ name }) => commands.has(name))
			.map(({ name, file }) =>
				clash(
					`The prompt template ${file} cannot be used: /${name} is a command of this package.`,
					"Rename the file: its name is the name of the template.",
				),
			),
		...skills
			.filter(({ name, file }) => ownSkills.includes(name) && !isOwnFile(file))
			.map(({ name, file }) =>
				clash(`The skill ${name} of this package is not used: ${file} has the same name.`, "Rename one of them."),
			),
		...hidden
			.slice(0, maxHidden)
			.map(({ kind, name, file, used }) =>
				clash(
					`Two ${kind === "skill" ? "skills" : "prompt templates"} are called ${name}: pi uses ${used}, and not ${file}.`,
					"Rename one of them, so that a definition that names it gets the one you mean.",
				),
			),
	];
}

function extensionClashes({ file, tools, flags, keys }: Inventory["extensions"][number]): DoctorFinding[] {
	const other = owner(file);
	const lost = Map.groupBy(
		tools.filter((tool) => Object.hasOwn(ownTools, tool)),
		(tool) => ownTools[tool],
	);
	return [
		...[...lost].map(([feature, names]) =>
			clash(
				`${names.join(", ")} ${names.length === 1 ? "is also a tool" : "are also tools"} of ${other}, so ${feature} does not work.`,
				"Remove the other package with `pi remove` if you need both, or start pi without it.",
			),
		),
		...(flags.includes(ownFlag)
			? [
					clash(
						`--${ownFlag} is also an option of ${other}, so pi does not start with it.`,
						"Use /readonly instead, or remove the other package with `pi remove`.",
					),
				]
			: []),
		...keys.flatMap((key) => keyClash(key, other)),
	];
}

/** Keys that the user has bound in pi. */
function boundKeys(file: string): DoctorFinding[] {
	// pi reports a file that it cannot read.
	return Object.entries(jsonObject(file) ?? {}).flatMap(([action, keys]) =>
		[keys].flat().flatMap((key) => (typeof key === "string" ? keyClash(key, `pi, as ${action} in ${file}`) : [])),
	);
}

function keyClash(key: string, other: string): DoctorFinding[] {
	const normal = key.toLowerCase().split("+").toSorted().join("+");
	return Object.entries(ownKeys)
		.filter(([own]) => own.split("+").toSorted().join("+") === normal)
		.map(([own, use]) =>
			clash(`${own} is also a key of ${other}. Here it ${use}, and only then.`, "Give the other one a different key."),
		);
}

function owner(file: string): string {
	return packageName(file) ?? file;
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
