// Checks the guard's rule files. An error in any of them closes the guard.
import { basename } from "node:path";
import { locateRules, type RuleFileLocation, readRules } from "../safety/index.ts";
import { type CheckPlace, type Inspection, isSound } from "./finding.ts";

export function inspectRules({ cwd, home, agentFolder }: CheckPlace): Inspection {
	return inspectRuleFiles(locateRules({ cwd, home, agentDir: agentFolder }));
}

/** Reads each file separately. */
export function inspectRuleFiles(places: readonly RuleFileLocation[]): Inspection {
	const findings = places.map((place) => {
		const { diagnostics } = readRules([place], process.platform);
		const { file } = place;
		return {
			kind: "rules",
			name: basename(file),
			file,
			loads: isSound(diagnostics),
			diagnostics,
		} as const;
	});
	return { findings, foreign: [], further: [] };
}
