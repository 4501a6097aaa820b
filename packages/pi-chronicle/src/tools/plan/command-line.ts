// The command `pi-chronicle plan`.
import { createInterface } from "node:readline/promises";
import { findNoModel } from "../../local/index.ts";
import { exitCodes, openScope, packageRoot, printable } from "../../pi/index.ts";
import {
	type Command,
	type CommandCall,
	type CommandResponse,
	misuse,
	performInShell,
	refused,
	startCommand,
} from "../../ui/index.ts";
import { draftPlan } from "./author.ts";
import { startLine } from "./command.ts";
import { type Plan, saveDraft } from "./plan.ts";
import { readPlanWords } from "./subject.ts";
import { keepPlan, removePlan, waitingPlan } from "./waiting.ts";

type Decision = "start" | "save" | "drop" | "ask";

export const planCommand: Command = {
	name: "plan",
	takes: "[file] [task…]",
	details: `Lets a model draft a chronicle, a workflow or a sequence for the task, or from a definition of another tool: the file that the first word names.
The draft is checked and rehearsed, and corrected until it passes. Nothing is written or started before you decide: in a terminal you are asked;
otherwise use --save or --start. Without a task, the command shows the plan that waits.`,
	exits:
		"0 started or saved, 1 no draft passed, 2 usage, 3 waits for your decision, 130 interrupted; with --start as for run",
	shellOptions: `  --model <model>     model that drafts, and model of states that name none (default: pi's default)
  --save              write the draft to the project, start nothing
  --start             write the draft to the project, and start it if it is a chronicle
`,
	text: 0,
	needs: "pi",
	runs: "none",
	async perform(call) {
		const { text, project, parsed, host, signal } = call;
		const { flags, values } = parsed;
		if (flags.has("save") && flags.has("start"))
			return misuse("--start also saves the draft: use only one of the two.");
		if (project.place.trust !== "trusted")
			return misuse("A plan adds files to the project, which you have not trusted: start pi there, or add --approve.");
		const waiting = text === "" ? waitingPlan(project.place) : undefined;
		if (waiting) return decideOnPlan(waiting, call);
		if (text === "") return misuse(`No plan is waiting. Describe the task: ${host.prefix}plan <task…>`);
		const words = readPlanWords(text, project.place.cwd);
		if (typeof words === "string") return misuse(words);
		const none = values.model === undefined ? await findNoModel(project) : undefined;
		if (none) return refused(none);
		const scope = openScope();
		try {
			let last = "";
			const onProgress = (text: string): void => {
				if (text !== last) host.report(text);
				last = text;
			};
			const request = { ...words, model: values.model, signal, onProgress };
			const end = await draftPlan(request, { place: project.place, packageRoot: packageRoot() }, scope);
			if (end.kind === "aborted") return { kind: "silent", exitCode: exitCodes.interrupted };
			if (end.kind === "drafted") {
				keepPlan(end.plan, project.place);
				return await decideOnPlan(end.plan, call);
			}
			const message = [end.reason, ...end.problems].join("\n");
			const remedy = `${end.remedy} The drafts are in ${end.session}.`;
			return refused({ code: "no-plan", message, remedy, exitCode: exitCodes.failed });
		} catch (error) {
			if (signal.aborted) return { kind: "silent", exitCode: exitCodes.interrupted };
			throw error;
		} finally {
			await scope.close();
		}
	},
};

async function decideOnPlan(plan: Plan, call: CommandCall): Promise<CommandResponse> {
	const { project, signal, host } = call;
	const { flags } = call.parsed;
	const given: Decision = flags.has("start") ? "start" : flags.has("save") ? "save" : "ask";
	const canAsk = process.stdin.isTTY && process.stderr.isTTY && !flags.has("json");
	const decision = given === "ask" && canAsk ? await ask(plan, signal) : given;
	const { draft, command, task, lines } = plan;
	const data = { kind: draft.kind, name: command, task, files: draft.files, preview: lines, usage: plan.usage };
	if (decision === "drop") removePlan(project.place);
	if (decision === "drop") return { kind: "done", lines: ["Nothing was written."], data: { ...data, saved: false } };
	if (decision === "ask") {
		const text = [
			...lines,
			"",
			`Nothing was written. ${host.prefix}plan --save writes these files, --start also starts the run.`,
		];
		return { kind: "done", lines: text, data: { ...data, saved: false }, exitCode: exitCodes.waits };
	}
	const unsaved = saveDraft(draft, project.place.cwd);
	if (unsaved !== undefined) return misuse(unsaved);
	removePlan(project.place);
	if (decision === "start" && draft.kind === "chronicle" && task !== "") return start(plan, call);
	const line =
		draft.kind === "chronicle" ? `${host.prefix}run ${command} <task…>` : `${startLine(draft.kind, command)} in pi`;
	return { kind: "done", lines: [...lines, "", `Saved. Start it: ${line}`], data: { ...data, saved: true } };
}

/** Starts a saved chronicle, as `pi-chronicle run` does. */
async function start({ command, task }: Plan, { parsed, project, signal }: CommandCall): Promise<CommandResponse> {
	const named = ["model", "engine", "project"].flatMap((name) => {
		const value = parsed.values[name];
		return value === undefined ? [] : [`--${name}`, value];
	});
	const json = parsed.flags.has("json") ? ["--json"] : [];
	const args = ["--cwd", project.place.cwd, "--approve", ...json, ...named, command, "--", task];
	return { kind: "silent", exitCode: await performInShell({ load: async () => startCommand }, args, signal) };
}

/** Asks at the terminal. Any other answer than a listed letter leaves the plan waiting. */
async function ask({ lines }: Plan, signal: AbortSignal): Promise<Decision> {
	process.stderr.write(`${printable(lines.join("\n"))}\n\n`);
	const terminal = createInterface({ input: process.stdin, output: process.stderr });
	try {
		const answer = await terminal.question("s start · w save, start nothing · d drop · Enter later: ", { signal });
		const letter = answer.trim().toLowerCase();
		return letter === "s" ? "start" : letter === "w" ? "save" : letter === "d" ? "drop" : "ask";
	} catch {
		return "ask";
	} finally {
		terminal.close();
	}
}
