// Examines pi: which one is used, whether it starts with everything that the user has installed, conflicting packages, and models.

import { counted } from "@pi-chronicle/core/definition";
import type { Project } from "../../local/index.ts";
import { findPi, isPiCommand, ownPiSearch, type PiSurvey, surveyPi } from "../../pi/index.ts";
import { type DoctorExamination, type DoctorFinding, fine, unknownFinding } from "./examination.ts";
import { examineCommands } from "./packages.ts";

/** Milliseconds for pi to start and answer. */
const startMs = 20_000;
const maxWords = 600;

/** Queries pi; starts it once, on the first query. */
export interface AskablePi {
	readonly found: ReturnType<typeof findPi>;
	ask(): Promise<PiSurvey>;
}

/** `named`: the value of the option `--pi`. */
export function openAskablePi({ place }: Project, named: string | undefined): AskablePi {
	const { cwd, env = process.env } = place;
	const found = findPi(ownPiSearch(named));
	let survey: Promise<PiSurvey> | undefined;
	return {
		found,
		async ask() {
			if (!isPiCommand(found)) return { kind: "silent", stderr: "" };
			survey ??= surveyPi({ pi: found, cwd, env, ms: startMs });
			return survey;
		},
	};
}

export function piExaminations({ found, ask }: AskablePi): readonly DoctorExamination[] {
	if (!isPiCommand(found)) {
		const finding: DoctorFinding = { state: "failed", text: found.message, remedy: found.remedy };
		return [{ what: "pi", maxMs: 1000, examine: async () => finding }];
	}
	const maxMs = startMs + 5000;
	const file = found.args.at(-1) ?? found.command;
	return [
		{ what: "pi", maxMs, examine: async () => examineStart(await ask(), `pi ${found.version ?? ""} at ${file}`) },
		{ what: "packages", maxMs, examine: async () => examineCommands(await ask()) },
		{ what: "model", maxMs, examine: async () => examineModels(await ask()) },
	];
}

function examineStart(survey: PiSurvey, which: string): DoctorFinding {
	if (survey.kind === "answered") return fine(which);
	const said = reasonIn(survey.stderr);
	return {
		state: "failed",
		text: `${which} does not start here${said === "" ? "." : `: ${said}`}`,
		remedy:
			"Start `pi -ne`, which loads no extension. If that works, remove packages with `pi remove` until pi starts.",
	};
}

/** The end of what a pi that did not start has written; of a crash, its error without the stack. */
function reasonIn(stderr: string): string {
	const crash = /^\w*Error(?: \[\w+\])?: (.+)\n\s+at /m.exec(stderr)?.[1];
	return (crash ?? stderr.trim().slice(-maxWords)).replaceAll(/\s+/g, " ");
}

function examineModels(survey: PiSurvey): DoctorFinding {
	if (survey.kind === "silent") return unknownFinding;
	const { models, model } = survey;
	if (models.length === 0)
		return {
			state: "failed",
			text: "pi has no model with a key.",
			remedy: "Log in with /login in pi, or set the key of a provider. Rehearsals need no model.",
		};
	const providers = [...new Set(models.map(({ provider }) => provider))];
	const count = `${counted(models.length, "model")} of ${providers.join(", ")}`;
	if (model !== undefined) return fine(`${count}; a session starts with ${model}`);
	return { state: "warning", text: `${count}, and none is chosen.`, remedy: "Choose one with /model in pi." };
}
