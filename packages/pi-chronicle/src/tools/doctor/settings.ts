// Examines the package's settings in pi's settings files: a wrong name, or a number out of range, has no effect and is reported nowhere else.

import { join } from "node:path";
import { didYouMean, formatPath, quoted } from "@pi-chronicle/core/definition";
import { numberSettings, type Project, type Setting } from "../../local/index.ts";
import { userSettings } from "../../pi/index.ts";
import { type DoctorExamination, type DoctorFinding, fine } from "./examination.ts";

/** Every setting, as docs/settings.md lists them. */
export const settingNames: readonly string[] = [
	...Object.keys(numberSettings),
	..."proposals startUnasked bell notify engine workflow notebook spawn watchdog children tools".split(" "),
	..."providerWait providerRetry models fallback sandbox apart keepChildFolders childFolders".split(" "),
];

export function settingsExamination({ place }: Project): DoctorExamination {
	return { what: "settings", maxMs: 1000, examine: async () => examineSettings(place) };
}

function examineSettings({ cwd, agentFolder, trust }: Project["place"]): readonly DoctorFinding[] {
	const files = [
		join(agentFolder, "settings.json"),
		...(trust === "trusted" ? [join(cwd, ".pi", "settings.json")] : []),
	];
	const found = files.flatMap((file) =>
		Object.entries(userSettings(file)).flatMap(([name, value]) => {
			const mistake = mistakeIn(name, value);
			return mistake === undefined ? [] : [`In ${formatPath(file, cwd)}, ${mistake}`];
		}),
	);
	if (found.length === 0) return [fine("each name is known")];
	const remedy = "Correct it, or remove it; docs/settings.md lists all settings.";
	return found.map((text) => ({ state: "warning", text, remedy }));
}

function mistakeIn(name: string, value: unknown): string | undefined {
	if (!settingNames.includes(name))
		return `${quoted(name)} below \`chronicle\` is no setting, so it has no effect.${didYouMean(name, settingNames)}`;
	const number: Setting | undefined = { ...numberSettings }[name as keyof typeof numberSettings];
	if (number === undefined) return undefined;
	const { standard, min = 0, max } = number;
	if (typeof value === "number" && value >= min && value <= max) return undefined;
	return `${quoted(name)} is no number from ${min} to ${max}, so ${standard} is used.`;
}
