// The verb `pi-chronicle rehearse`.
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { agentFolder, findPi, isPiCommand, ownPiSearch, packageRoot } from "../pi/index.ts";
import { type Kind, plan, splitWords, whatThereIs } from "./plan.ts";
import { rehearse, type Wish } from "./program.ts";
import { closingLines, openingLines, partLines, unplayableLines } from "./report.ts";
import { rehearseUsage } from "./usage.ts";

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
	const house = { cwd: read.cwd, agentFolder: agentFolder(), pi, packageRoot: packageRoot(), env: process.env };
	const say = (lines: readonly string[]): void =>
		void (read.json ? process.stderr : process.stdout).write(`${lines.join("\n")}\n`);
	if (read.wish === undefined) {
		process.stderr.write(`${rehearseUsage}\n${whatThereIs(house, read.kind)}\n`);
		return 2;
	}
	const planned = plan(read.wish, read.kind, house);
	if (planned.kind === "unplayable") {
		process.stderr.write(`${unplayableLines(planned, read.cwd).join("\n")}\n`);
		return 2;
	}
	say(openingLines(planned.program, read.cwd));
	const report = await rehearse(planned, house, {
		onPart: (part) => say(partLines(part)),
		onLine: (line) => say([line]),
		afterwards: read.keep ? "keep" : "remove",
		...(signal ? { signal } : {}),
	});
	if (signal?.aborted) return 130;
	say(closingLines(report));
	if (read.json) process.stdout.write(`${JSON.stringify(report, null, "\t")}\n`);
	return report.outcome === "done" ? 0 : 1;
}

interface Arguments {
	readonly kind: Kind | undefined;
	/** `undefined`: nothing was named. */
	readonly wish: Wish | undefined;
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
		const { kind, name, task } = splitWords(positionals.join(" "));
		return {
			...values,
			kind,
			wish: name === "" ? undefined : { name, task, scenario: values.scenario },
			cwd: resolve(values.cwd ?? "."),
			pi: values.pi,
		};
	} catch (error) {
		return error instanceof Error ? error.message : String(error);
	}
}
