// Runs one command from the command line: help, the project, and the result on stdout and stderr.

import type { Run } from "@pi-chronicle/core/machine";
import { hasNotices, nobody, wakeSender } from "../../local/index.ts";
import { exitCodes, fitText } from "../../pi/index.ts";
import { commonOptions, commonUsage } from "../command-list.ts";
import type { CommandHost } from "../commands/index.ts";
import { type Command, grammarOf, NO_WAIT, parseArguments, performCommand } from "../commands/index.ts";
import { alignOptions, optionsIn } from "../option-usage.ts";
import { headLine, progressLine, waitsForProvider } from "../phrases/index.ts";
import { followView } from "./follow.ts";
import { onEngine } from "./on-engine.ts";
import type { Output } from "./output.ts";
import { openOutput } from "./output.ts";
import { isComplaint, openPlace, placeOptions, savedTrust, shellPrefix } from "./place.ts";

/** Resolves to the exit code. */
export async function runCommandLine(command: Command, args: readonly string[], signal: AbortSignal): Promise<number> {
	const surfaceOptions = { ...commonOptions, ...optionsIn(command.shellOptions) };
	const early = (json: boolean) =>
		openOutput({ command: command.name, json, cwd: process.cwd(), prefix: { text: "pi-chronicle " } });
	// Whether an argument names a run is known only once the project is open; until then, every candidate counts.
	const parsed = parseArguments(args, grammarOf(command, surfaceOptions));
	if ("error" in parsed) {
		// Print JSON if requested, even if the rest of the command line is invalid.
		const output = early(args.includes("--json"));
		return output.fail({ code: "usage", message: parsed.error, lines: ["", usageText(command)] });
	}
	if (parsed.flags.has("help")) {
		process.stdout.write(fitText(usageText(command), process.stdout));
		return exitCodes.done;
	}
	if (parsed.flags.has("follow") && parsed.flags.has("json")) {
		const output = early(true);
		return output.fail({
			code: "usage",
			message: "--follow draws on a terminal, and --json is for programs: give one of them.",
		});
	}
	const options = placeOptions(parsed);
	const output = openOutput({
		command: command.name,
		json: parsed.flags.has("json"),
		cwd: options.cwd,
		prefix: shellPrefix(parsed, process.env, savedTrust(options.cwd)),
	});
	const local = openPlace({ ...options, shell: output.prefix }, command.needs);
	if (isComplaint(local)) return output.fail(local);
	if (startsSender.has(command.name) && hasNotices(local.place)) await wakeSender(local.place).catch(() => {});
	const project = command.runs === "none" ? local : await onEngine(local, parsed.values, output.progress);
	if (isComplaint(project)) return output.fail(project);
	const host = commandLineHost(output, signal, parsed.flags.has(NO_WAIT) ? "leave" : "wait");
	const textOf = (from: number, count: number): string =>
		args
			.slice(from, from + count)
			.join(" ")
			.trim();
	try {
		const response = await performCommand(command, args, { project, host, signal, surfaceOptions, textOf });
		if (!parsed.flags.has("follow")) return await output.show(response);
		const complaint = await followView(project, response, signal);
		if (complaint) return output.fail(complaint);
		return signal.aborted ? exitCodes.interrupted : exitCodes.done;
	} finally {
		await project.engine?.close();
	}
}

/** Commands at whose start the notices that an ended process has left are sent. */
const startsSender: ReadonlySet<string> = new Set(["run", "list", "status"]);

/** Commands that read the options about engines themselves. */
const readEngine: ReadonlySet<string> = new Set(["engine", "plan"]);

/** The help of a command. */
export function usageText({ name, takes, details, options = "", shellOptions = "", exits, runs }: Command): string {
	const line = `pi-chronicle ${name} [options] ${takes}`.trimEnd();
	const about = details === "" ? "" : `${details}\n\n`;
	const usage = `${commonUsage(runs !== "none" || readEngine.has(name))}${options}${shellOptions}`;
	return `${line}\n\n${about}${alignOptions(usage)}\nExit code: ${exits}.\n`;
}

/** `signal` releases a run that is being supervised, and so does `onProvider` "leave" once it waits for its provider. */
function commandLineHost(
	{ progress, live, prefix }: Output,
	signal: AbortSignal,
	onProvider: "wait" | "leave",
): CommandHost {
	return {
		via: "the command line",
		prefix,
		hasScreen: false,
		startLine: (template) => `${prefix}run ${template}`,
		supervised: new Map(),
		approver: () => nobody,
		warn(text) {
			for (const line of text.split("\n")) progress(line.startsWith(" ") ? line : `! ${line}`);
		},
		report: progress,
		started: ({ id, template, task }) => progress(`Started ${template.name} (${id}): ${headLine(task)}`),
		contained: ({ line }) => progress(line),
		async attend(_project, { supervision }) {
			const unwatch = supervision.watch((run, event, before) => {
				const line = progressLine(run, event, before);
				if (line !== undefined) progress(line);
				live(run);
			});
			live(supervision.run);
			const release = (): void => void supervision.stop();
			let isLeft = false;
			const leave = (run: Run): void => {
				if (onProvider === "wait" || isLeft || !waitsForProvider(run)) return;
				isLeft = true;
				release();
			};
			const unfollow = supervision.watch(leave);
			leave(supervision.run);
			signal.addEventListener("abort", release, { once: true });
			if (signal.aborted) release();
			const end = await supervision.ended;
			signal.removeEventListener("abort", release);
			unwatch();
			unfollow();
			live(undefined);
			// A run that was left there waits: it has not been interrupted.
			return isLeft && end.kind === "released"
				? { kind: "parked", run: { ...end.run, status: "awaiting_provider" } }
				: end;
		},
	};
}
