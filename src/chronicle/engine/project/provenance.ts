// Whether a run may be carried on here. A ledger lies among the project's files, so it can come with a repository like any of them.
import type { Run } from "../../core/index.ts";
import { hashDefinition } from "../../core/index.ts";
import type { Project } from "./project.ts";

/** Why a run must not be carried on; `undefined` where it may: in a trusted project, or by a template of the person's own. */
export function explainDistrust({ place, templates }: Project, { template }: Run): string | undefined {
	if (place.trust === "trusted") return undefined;
	const hash = hashDefinition(template.definition);
	for (const { tier, read } of templates().templates.values())
		if (tier === "personal" && read?.hash === hash) return undefined;
	return "pi has not been told to trust this project, and the run goes by a template that is none of your own: trust the project first (/trust in pi, --approve for one command).";
}
