// Whether a run may be resumed here. A ledger is among the project's files, so it can come with a repository like any of them.
import type { Run } from "../../core/index.ts";
import { hashDefinition } from "../../core/index.ts";
import type { Project } from "./project.ts";

/** Why a run must not be resumed; `undefined` if it may: in a trusted project, or with a template of the user's own. */
export function explainDistrust({ place, templates }: Project, { template }: Run): string | undefined {
	if (place.trust === "trusted") return undefined;
	const hash = hashDefinition(template.definition);
	for (const { tier, read } of templates().templates.values())
		if (tier === "personal" && read?.hash === hash) return undefined;
	return "pi does not trust this project, and the run's template is not one of your own: trust the project first (/trust in pi, --approve for one command).";
}
