// The verb `pi-chronicle rehearse`.
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { agentFolder, findPi, isPiCommand, ownPiSearch } from "../pi/index.ts";
import { rehearse } from "./program.ts";
import { closingLines, openingLines, partLines, unplayableLines } from "./report.ts";
import { rehearseUsage } from "./usage.ts";
import { planWorkflow, workflowNames } from "./workflow.ts";

/** Runs the verb with the words after it; resolves to the exit code. */
export async function runVerb(args: readonly string[], signal?: AbortSignal): Promise<number> {
	const read = readArguments(args);
	if (typeof read === "string") {
		process.stderr.write(`${read}\n\n${rehearseUsage}`);
		return 2;
	}
	if (read.help) {
		process.stdout.write(rehearseUsage);
		return 0;
	}
	const pi = findPi(ownPiSearch(read.pi));
	if (!isPiCommand(pi)) {
		process.stderr.write(`${pi.message} ${pi.remedy}\n`);
		return 2;
	}
	const house = { cwd: read.cwd, agentFolder: agentFolder(), pi, env: process.env };
	const say = (lines: readonly string[]): void =>
		void (read.json ? process.stderr : process.stdout).write(`${lines.join("\n")}\n`);
	if (read.name === undefined) {
		const names = workflowNames(house);
		process.stderr.write(
			`${rehearseUsage}\n${names.length > 0 ? `Workflows here: ${names.join(", ")}.` : "There is no workflow here."}\n`,
		);
		return 2;
	}
	const program = planWorkflow({ name: read.name, task: read.task, scenario: read.scenario }, house);
	if (program.kind === "unplayable") {
		process.stderr.write(`${unplayableLines(program, read.cwd).join("\n")}\n`);
		return 2;
	}
	say(openingLines(program, read.cwd));
	const report = await rehearse(program, house, {
		onPart: (part) => say(partLines(part)),
		afterwards: read.keep ? "keep" : "remove",
		...(signal ? { signal } : {}),
	});
	if (signal?.aborted) return 130;
	say(closingLines(report));
	if (read.json) process.stdout.write(`${JSON.stringify(report, null, "\t")}\n`);
	return report.outcome === "done" ? 0 : 1;
}

interface Arguments {
	readonly name: string | undefined;
	readonly task: string;
	readonly scenario: string | undefined;
	readonly cwd: string;
	readonly pi: string | undefined;
	readonly keep: boolean;
	readonly json: boolean;
	readonly help: boolean;
}

/** A text says what is wrong. */
function readArguments(args: readonly string[]): Arguments | string {
	try {
		const { values, positionals } = parseArgs({
			args: [...args],
			options: {
				scenario: { type: "string" },
				cwd: { type: "string" },
				pi: { type: "string" },
				keep: { type: "boolean", default: false },
				json: { type: "boolean", default: false },
				help: { type: "boolean", short: "h", default: false },
			},
			allowPositionals: true,
		});
		const words = positionals[0] === "workflow" && positionals.length > 1 ? positionals.slice(1) : positionals;
		const [name, ...task] = words;
		return {
			...values,
			name,
			task: task.join(" "),
			scenario: values.scenario,
			cwd: resolve(values.cwd ?? "."),
			pi: values.pi,
		};
	} catch (error) {
		return error instanceof Error ? error.message : String(error);
	}
}
