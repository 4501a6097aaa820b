// A reporter of vitest: prints, after its own summary, which tests were skipped and why. With `CHRONICLE_PROGRAMS=required` the run fails
// when one was skipped for a missing program, and when one gives no reason.
import type { Reporter, TestCase, TestModule, Vitest } from "vitest/node";
import { missingProgram } from "./needs.ts";

const noReason = "no reason is given";

/** Prints skipped tests by reason. Says nothing about tests that a filter of names left out. */
export class SkippedTests implements Reporter {
	private vitest: Vitest | undefined;

	onInit(vitest: Vitest): void {
		this.vitest = vitest;
	}

	onTestRunEnd(modules: readonly TestModule[]): void {
		if (!this.vitest || this.vitest.config.testNamePattern) return;
		const byReason = new Map<string, Map<string, number>>();
		for (const module of modules) {
			for (const test of module.children.allTests("skipped")) {
				const files = byReason.get(reasonOf(test)) ?? new Map<string, number>();
				byReason.set(reasonOf(test), files.set(module.relativeModuleId, (files.get(module.relativeModuleId) ?? 0) + 1));
			}
		}
		if (byReason.size > 0) this.vitest.logger.log(`Skipped tests\n${[...byReason].map(describeReason).join("\n")}\n`);
		const unwanted = [...byReason.keys()].filter((reason) => reason === noReason || reason.startsWith(missingProgram));
		if (process.env.CHRONICLE_PROGRAMS === "required" && unwanted.length > 0) {
			this.vitest.logger.error(`The run fails: no test may be skipped for this: ${unwanted.join("; ")}.`);
			process.exitCode = 1;
		}
	}
}

function describeReason([reason, files]: [string, Map<string, number>]): string {
	return [`  ${reason}:`, ...[...files].map(([file, count]) => `    ${file} (${count})`)].join("\n");
}

/** The reason of the test or of the group that it is skipped with. */
function reasonOf(test: TestCase): string {
	for (let task: TestCase | TestCase["parent"] = test; task.type !== "module"; task = task.parent) {
		const { lacks } = task.meta();
		if (lacks !== undefined) return lacks;
	}
	const result = test.result();
	return (result.state === "skipped" && result.note) || noReason;
}
