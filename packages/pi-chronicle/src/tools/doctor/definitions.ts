// Examines the project: whether it is trusted, and whether rule files and definitions are valid. `check` lists the problems in detail.

import { counted, formatPath } from "@pi-chronicle/core/definition";
import { openProject, type Project } from "../../local/index.ts";
import type { PiSurvey } from "../../pi/index.ts";
import { checkProject, kinds, type ProjectCheck } from "../check/index.ts";
import { type DoctorExamination, type DoctorFinding, fine } from "./examination.ts";
import type { AskablePi } from "./pi.ts";

const maxMs = 30_000;

/** `pi`: provides the models, so that no second pi has to start. */
export function projectExaminations(project: Project, pi: AskablePi): readonly DoctorExamination[] {
	let checked: Promise<ProjectCheck> | undefined;
	const check = async (): Promise<ProjectCheck> => {
		checked ??= pi.ask().then((survey) => checkProject(withModels(project, survey), []));
		return checked;
	};
	const { cwd } = project.place;
	return [
		{ what: "trust", maxMs: 1000, examine: async () => examineTrust(project) },
		{ what: "rule files", maxMs, examine: async () => examineRules(await check(), cwd) },
		{ what: "definitions", maxMs, examine: async () => examineDefinitions(await check(), cwd) },
	];
}

function withModels({ place }: Project, survey: PiSurvey): Project {
	return openProject(survey.kind === "answered" ? { ...place, models: async () => survey.models } : place);
}

function examineTrust({ place: { trust } }: Project): DoctorFinding {
	if (trust === "trusted") return fine("pi trusts this project");
	return {
		state: "warning",
		text: "pi does not trust this project, so its workflows, templates, agents and sequences are not read.",
		remedy: "Review them, then run /trust in pi, or add --approve to one command.",
	};
}

function examineRules({ findings }: ProjectCheck, cwd: string): DoctorFinding | readonly DoctorFinding[] {
	const files = findings.filter(({ kind }) => kind === "rules");
	if (files.length === 0) return fine("none: the guard is inactive (`/guard init` writes one)");
	const broken = files.filter(({ loads }) => !loads);
	if (broken.length === 0) return fine(files.map(({ file }) => formatPath(file, cwd)).join(", "));
	return broken.map(({ file, diagnostics }) => ({
		state: "failed",
		text: `${formatPath(file, cwd)} cannot be read: ${diagnostics.find(({ severity }) => severity === "error")?.message ?? ""}`,
		remedy:
			"Until it is fixed, calls that write or run need approval, and no worker starts. `pi-chronicle check` shows the line.",
	}));
}

function examineDefinitions({ findings, further }: ProjectCheck, cwd: string): DoctorFinding {
	const listed = findings.filter(({ kind }) => kind !== "rules");
	const broken = listed.filter(({ loads }) => !loads).map(({ file }) => formatPath(file, cwd));
	const errors = further.filter(({ severity }) => severity === "error");
	if (broken.length === 0 && errors.length === 0) return fine(countOf(listed) || "none yet");
	const which = [...new Set([...broken, ...errors.map(({ file }) => formatPath(file, cwd))])].slice(0, 5).join(", ");
	return {
		state: "failed",
		text: `${broken.length + errors.length} of them cannot be used: ${which}`,
		remedy: "`pi-chronicle check` shows each problem with its line.",
	};
}

function countOf(findings: ProjectCheck["findings"]): string {
	return Object.entries(kinds)
		.flatMap(([kind, [one, more]]) => {
			const count = findings.filter((finding) => finding.kind === kind).length;
			return count === 0 ? [] : [counted(count, one, more)];
		})
		.join(", ");
}
