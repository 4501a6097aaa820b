// Examines pi: which one is used, whether it starts with everything that the user has installed, conflicting commands, and models.
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Project } from "../chronicle/index.ts";
import { findPi, isPiCommand, ownPiSearch, type PiSurvey, type SurveyedCommand, surveyPi } from "../pi/index.ts";
import { type DoctorExamination, type DoctorFinding, fine } from "./examination.ts";

/** Milliseconds for pi to start and answer. */
const startMs = 20_000;
const mostWords = 600;

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
		return [{ what: "pi", most: 1000, examine: async () => finding }];
	}
	const most = startMs + 5000;
	const file = found.args.at(-1) ?? found.command;
	return [
		{ what: "pi", most, examine: async () => examineStart(await ask(), `pi ${found.version ?? ""} at ${file}`) },
		{ what: "packages", most, examine: async () => examinePackages(await ask()) },
		{ what: "model", most, examine: async () => examineModels(await ask()) },
	];
}

function examineStart(survey: PiSurvey, which: string): DoctorFinding {
	if (survey.kind === "answered") return fine(which);
	const said = survey.stderr.trim().slice(-mostWords).replaceAll(/\s+/g, " ");
	return {
		state: "failed",
		text: `${which} does not start here${said === "" ? "." : `: ${said}`}`,
		remedy:
			"Start `pi -ne`, which loads no extension. If that works, remove packages with `pi remove` until pi starts.",
	};
}

/** Packages with commands of the same names: pi numbers them. */
function examinePackages(survey: PiSurvey): readonly DoctorFinding[] {
	if (survey.kind === "silent") return [unknown];
	const clashes = new Map<string, SurveyedCommand[]>();
	for (const command of survey.commands) {
		const [, base] = /^(.+):\d+$/.exec(command.name) ?? [];
		if (base !== undefined) clashes.set(base, [...(clashes.get(base) ?? []), command]);
	}
	const findings = [...clashes].flatMap(([base, commands]): DoctorFinding[] => {
		const ours = commands.find(({ file }) => packageName(file) === ownName);
		if (!ours) return [];
		const others = commands.filter((command) => command !== ours).map(({ file }) => packageName(file) ?? file);
		return [
			{
				state: "warning",
				text: `/${base} is also a command of ${others.join(", ")}; pi names this package's command /${ours.name}.`,
				remedy: `Type /${ours.name}, or remove the other package with \`pi remove\`.`,
			},
		];
	});
	if (findings.length > 0) return findings;
	const isLoaded = survey.commands.some(({ file }) => packageName(file) === ownName);
	if (isLoaded) return [fine("no other package has commands of the same names")];
	return [
		{
			state: "warning",
			text: "pi does not load this package: it has no /chronicle and no /workflow.",
			remedy: "Run `pi install npm:pi-chronicle`, or start pi with `-e` and the package's folder.",
		},
	];
}

const ownName = "pi-chronicle";

/** The name of the nearest package above a file. */
function packageName(file: string): string | undefined {
	try {
		for (let folder = dirname(realpathSync(file)); ; folder = dirname(folder)) {
			const manifest = join(folder, "package.json");
			const name = existsSync(manifest)
				? (JSON.parse(readFileSync(manifest, "utf8")) as { name?: unknown }).name
				: undefined;
			if (typeof name === "string") return name;
			if (folder === dirname(folder)) return undefined;
		}
	} catch {
		// The file is missing, or the manifest is unreadable.
		return undefined;
	}
}

function examineModels(survey: PiSurvey): DoctorFinding {
	if (survey.kind === "silent") return unknown;
	const { models, model } = survey;
	if (models.length === 0)
		return {
			state: "failed",
			text: "pi has no model with a key.",
			remedy: "Log in with /login in pi, or set the key of a provider. Rehearsals need no model.",
		};
	const providers = [...new Set(models.map(({ provider }) => provider))];
	const count = `${models.length} ${models.length === 1 ? "model" : "models"} of ${providers.join(", ")}`;
	if (model !== undefined) return fine(`${count}; a session starts with ${model}`);
	return { state: "warning", text: `${count}, and none is chosen.`, remedy: "Choose one with /model in pi." };
}

const unknown: DoctorFinding = { state: "warning", text: "Unknown, because pi does not start." };
