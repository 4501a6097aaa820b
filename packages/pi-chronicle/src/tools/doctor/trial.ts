// `doctor --try`: runs a command of the project in a copy, as a child gets it, and in the sandbox, and says what would break there.
// The project is not touched, and nothing of the copy stays; each try has a copy of its own.

import { tmpdir } from "node:os";
import { linksFor, openTrialCopy, type Project, type TrialCopy } from "../../local/index.ts";
import { exactTime, hostEnvironment } from "../../pi/index.ts";
import { runShellCommand } from "../../process/index.ts";
import { makeBoxFolder, openConfinement, probeSandbox, redactText } from "../../safety/index.ts";
import { type DoctorExamination, type DoctorFinding, fine } from "./examination.ts";

/** Milliseconds of one try. */
const tryMs = 10 * 60_000;
const tailLength = 1500;

interface Tried {
	/** `undefined`: the copy could not be made, or the command was killed. */
	readonly code: number | undefined;
	readonly text: string;
	readonly ms: number;
	/** Ignored dependencies that the copy lacks. */
	readonly lacks: readonly string[];
}

interface Trial {
	readonly project: Project;
	readonly command: string;
	/** What a template would name in `link`. */
	readonly links: readonly string[];
	/** A command that is run in the copy first, as `setup` of a template is. */
	readonly setup: string | undefined;
	readonly signal: AbortSignal;
}

/** The command as it is run in the copy. */
type Wrap = (command: string, copy: TrialCopy) => string | Promise<string>;

const unwrapped: Wrap = (command) => command;

/** Tries a command. */
export function trialExaminations(trial: Omit<Trial, "signal">): readonly DoctorExamination[] {
	return [
		{ what: "in a copy", maxMs: 3 * tryMs, examine: (signal) => examineCopy({ ...trial, signal }) },
		{ what: "in the sandbox", maxMs: 3 * tryMs, examine: (signal) => examineBox({ ...trial, signal }) },
	];
}

async function examineCopy(trial: Trial): Promise<DoctorFinding> {
	const first = await tryIn(trial, unwrapped);
	if (first.code === 0) return fine(worksText(trial, first));
	const failed = failedTrial(trial, first);
	const links = withMissing(trial, first);
	if (!links)
		return {
			...failed,
			remedy: "Compare it with the command in the project; `setup` in a template can prepare the copy.",
		};
	const named = `\`link: [${links.map((link) => JSON.stringify(link)).join(", ")}]\``;
	const again = await tryIn({ ...trial, links }, unwrapped);
	if (again.code === 0)
		return { ...failed, remedy: `It works with ${named} in the template, or with \`setup\` that creates them.` };
	return {
		...failed,
		remedy: `The copy lacks what git ignores, but the command fails with ${named} too: ${again.text}`,
	};
}

async function examineBox(trial: Trial): Promise<DoctorFinding> {
	const probe = await probeSandbox();
	if (!probe)
		return { state: "warning", text: "No sandbox works on this machine, so the command was not tried in it." };
	const wrap: Wrap = async (command, { folder, copy }) => {
		const own = makeBoxFolder(tmpdir());
		const box = openConfinement({ host: hostEnvironment(folder.cwd), root: copy.root, copy, probe, folder: own });
		return (await box.confine(command, { scope: "project", network: "open" })).command;
	};
	const first = await tryIn(trial, wrap);
	const links = withMissing(trial, first);
	// What a copy lacks is not the sandbox's doing.
	const tried = first.code !== 0 && links ? await tryIn({ ...trial, links }, wrap) : first;
	if (tried.code === 0) return fine(worksText(trial, tried));
	const remedy =
		"There it can write only the copy, temporary folders and a home directory of its own; `sandbox: { write: [...] }` names more.";
	return { ...failedTrial(trial, tried), state: "warning", remedy };
}

/** The links with what the copy lacks; `undefined`: it lacks nothing. */
function withMissing({ links }: Trial, { lacks }: Tried): readonly string[] | undefined {
	return lacks.length === 0 ? undefined : [...links, ...linksFor(lacks)];
}

function worksText({ command }: Trial, { ms }: Tried): string {
	return `\`${command}\` works (${exactTime(ms)}).`;
}

function failedTrial({ command }: Trial, { code, text }: Tried): DoctorFinding {
	const how = code === undefined ? "did not end by itself" : `ended with code ${code}`;
	return { state: "failed", text: `\`${command}\` ${how}${text === "" ? "." : `: ${text}`}` };
}

async function tryIn({ project, command, links, setup, signal }: Trial, wrap: Wrap): Promise<Tried> {
	const opened = await openTrialCopy(project, { links, hasSetup: setup !== undefined }, signal);
	if (!opened.ok) {
		const { message, remedy } = opened.failure;
		return { code: undefined, text: `${message} ${remedy}`, ms: 0, lacks: [] };
	}
	const { folder, close } = opened.value;
	try {
		const { env = process.env } = project.place;
		const place = { cwd: folder.cwd, env, signal };
		const prepared = setup === undefined ? undefined : await runTrial(setup, place);
		if (prepared && prepared.code !== 0)
			return { ...prepared, code: undefined, text: `the set-up command failed first: ${prepared.text}`, lacks: [] };
		const ran = await runTrial(await wrap(command, opened.value), place);
		return { ...ran, lacks: folder.lacks ?? [] };
	} finally {
		await close();
	}
}

async function runTrial(
	command: string,
	place: { readonly cwd: string; readonly env: NodeJS.ProcessEnv; readonly signal: AbortSignal },
): Promise<Omit<Tried, "lacks">> {
	const began = performance.now();
	const { exit, output } = await runShellCommand(command, { ...place, timeoutMs: tryMs });
	const text = redactText(output.slice(-tailLength), tailLength);
	return { code: exit.kind === "exited" ? exit.code : undefined, text, ms: performance.now() - began };
}
