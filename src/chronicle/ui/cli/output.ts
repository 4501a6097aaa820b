// The output of a command: progress and errors on stderr; its result on stdout, as lines or, with --json, as exactly one object.
import { drawDiagram, exitCodes, printable } from "../../../pi/index.ts";
import type { Run } from "../../core/index.ts";
import type { CommandResponse, Complaint } from "../commands/index.ts";
import { complaintLines } from "../phrases/index.ts";
import { openLiveLine } from "./live-line.ts";
import { colorMark } from "./paint.ts";
import type { ShellPrefix } from "./shell-prefix.ts";
import { wrapHanging } from "./wrap.ts";

export interface Output {
	/** Precedes every printed command. */
	readonly prefix: string;
	progress(line: string): void;
	/** Shows the run on the live line; `undefined` removes it. */
	live(run: Run | undefined): void;
	/** Prints a result; resolves to the exit code. */
	show(result: CommandResponse): Promise<number>;
	/** Prints the error; returns the exit code. */
	fail(complaint: Complaint): number;
}

export interface OutputOptions {
	/** Name of the command. */
	readonly command: string;
	readonly json: boolean;
	/** Paths below it are shown relative to it. */
	readonly cwd: string;
	readonly prefix: ShellPrefix;
}

/** Opens the output of one command. */
export function openOutput({ command, json, cwd, prefix }: OutputOptions): Output {
	const line = openLiveLine(process.stderr);
	let isNoted = prefix.note === undefined;
	const progress = (text: string): void => {
		line.print(text);
		noteIn(text);
	};
	const noteIn = (text: string): void => {
		if (isNoted || !text.includes(prefix.text)) return;
		isNoted = true;
		line.print(prefix.note ?? "");
	};
	const print = (text: string): void => void process.stdout.write(`${text}\n`);
	const printData = (data: object): void => print(JSON.stringify({ verb: command, ...data }, null, "\t"));
	const fail = (complaint: Complaint): number => {
		const { code, message, remedy, diagnostics = [], problems = [], exitCode = exitCodes.usage } = complaint;
		for (const line of complaintLines(complaint, cwd)) progress(line);
		const error = { code, message, remedy, diagnostics, problems };
		if (json) printData({ error });
		return exitCode;
	};
	return {
		prefix: prefix.text,
		progress,
		live: (run) => (run === undefined ? line.close() : line.show(run)),
		fail,
		async show(result) {
			if (result.kind === "silent") return result.exitCode;
			if (result.kind === "refused") return fail(result);
			const { data, view, exitCode = exitCodes.done } = result;
			if (json) printData(data);
			else {
				const lines =
					view?.kind === "diagram" ? [...(await drawDiagram(result.lines)), "", ...view.notes] : result.lines;
				if (lines.length > 0) print(printedLines(lines, view?.kind !== "diagram" && view?.kind !== "patch"));
				noteIn(lines.join("\n"));
			}
			return exitCode;
		},
	};
}

/** The lines with colors; on a terminal, text is broken between words. */
function printedLines(lines: readonly string[], isText: boolean): string {
	const { isTTY, columns = 80 } = process.stdout;
	return printable(lines.join("\n"))
		.split("\n")
		.flatMap((line) => (isTTY && isText ? wrapHanging(line, columns) : [line]))
		.map((line) => colorMark(line, process.stdout))
		.join("\n");
}
