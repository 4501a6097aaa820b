// `doctor`: examines everything that the package needs; one line each, with a remedy. Changes nothing without `--fix`.

import { counted } from "@pi-chronicle/core/definition";
import { exitCodes } from "../../pi/index.ts";
import type { Command } from "../../ui/index.ts";
import { projectExaminations } from "./definitions.ts";
import { type DoctorExamination, type ExaminationResult, examineInTime } from "./examination.ts";
import { ledgerExamination } from "./ledgers.ts";
import { leftoverExamination } from "./leftovers.ts";
import { machineExaminations } from "./machine.ts";
import { openAskablePi, piExaminations } from "./pi.ts";
import { settingsExamination } from "./settings.ts";
import { trialExaminations } from "./trial.ts";

const marks = { ok: "ok  ", warning: "warn", failed: "FAIL" } as const;

export const doctor: Command = {
	name: "doctor",
	takes: "",
	details: `Examines pi, Node, git, the sandbox, the disk, settings, the project's trust, rule files and definitions, other packages with the same commands, models,
the checksums of all ledgers, and leftovers of dead runs. Starts pi once, as you would, to see what it loads. Never prints keys.`,
	exits: "0 nothing is broken (there may be warnings), 1 something is broken",
	options: `  --fix           stop processes and remove files that dead runs left behind; change nothing else
  --try <command> only run a command of the project in a copy, as a child run gets it, and in the sandbox, and say what breaks there
  --link <paths>  with --try: ignored paths that the copy gets too, separated by commas, as \`link\` in a template names them
  --setup <command> with --try: run this in the copy first, as \`setup\` in a template does
`,
	maxNames: 0,
	needs: "nothing",
	runs: "none",
	async perform({ project, parsed, host }) {
		const results: ExaminationResult[] = [];
		const { try: command, link = "", setup, pi } = parsed.values;
		const chosen =
			command === undefined
				? examinations(project, pi, { fix: parsed.flags.has("fix"), prefix: host.prefix })
				: trialExaminations({ project, command, links: link.split(",").filter(Boolean), setup });
		for (const examination of chosen) results.push(...(await examineInTime(examination)));
		const broken = results.filter(({ state }) => state === "failed").length;
		return {
			kind: "done",
			lines: [...results.flatMap(examinationLines), examinationSummary(results)],
			data: { healthy: broken === 0, checks: results },
			exitCode: broken === 0 ? exitCodes.done : exitCodes.failed,
			view: { kind: "page", title: "Doctor" },
		};
	},
};

function examinations(
	project: Parameters<typeof machineExaminations>[0],
	named: string | undefined,
	{ fix, prefix }: { readonly fix: boolean; readonly prefix: string },
): readonly DoctorExamination[] {
	const pi = openAskablePi(project, named);
	return [
		...piExaminations(pi),
		...machineExaminations(project),
		settingsExamination(project),
		...projectExaminations(project, pi),
		ledgerExamination({ project, prefix }),
		leftoverExamination({ project, fix: fix ? "remove" : "leave", prefix }),
	];
}

function examinationLines({ what, state, text, remedy }: ExaminationResult): readonly string[] {
	return [`${marks[state]} ${what}: ${text}`, ...(remedy === undefined ? [] : [`     ${remedy}`])];
}

function examinationSummary(results: readonly ExaminationResult[]): string {
	const count = (state: ExaminationResult["state"]): number =>
		results.filter((result) => result.state === state).length;
	const [failed, warned] = [count("failed"), count("warning")];
	if (failed + warned === 0) return "Everything works.";
	return `${failed} broken, ${counted(warned, "warning")}.`;
}
