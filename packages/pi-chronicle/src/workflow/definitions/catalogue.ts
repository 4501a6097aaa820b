// Loads every workflow that a session can see into one immutable catalogue, with all diagnostics.
// Loading never throws and prints nothing; a definition that fails to load affects no other, except those that refer to it.
import { join } from "node:path";
import type { Diagnostic } from "@pi-chronicle/core/definition";
import { realPathOf } from "../../disk/index.ts";
import { shippedFolder } from "../../tools/shipped/index.ts";
import type { Catalogue, WorkflowDefinition } from "./definition.ts";
import { type Draft, draftWorkflow } from "./draft.ts";
import { openRealDirectories } from "./entry-path.ts";
import { linkDrafts } from "./link.ts";
import { openPhaseReader } from "./phase-file.ts";
import { scanTier } from "./scan.ts";

/** Absolute paths of the workflow directories; they need not exist. */
export interface Roots {
	readonly globalRoot: string;
	/** `undefined` if the project has none or is not trusted. */
	readonly projectRoot: string | undefined;
	/** The package's own; `undefined`: none. */
	readonly shippedRoot?: string | undefined;
	/** Those of an untrusted project: only their keys count; they take precedence over the package's. */
	readonly unreadRoot?: string | undefined;
}

/**
 * The workflow directories of a session: `workflows` in pi's agent directory (`getAgentDir()`, which treats an empty variable as unset
 * and expands `~`), `.pi/workflows` in the working directory if the project is trusted, and the package's own.
 */
export function workflowRoots(session: { agentDir: string; cwd: string; trusted: boolean }): Roots {
	const project = join(session.cwd, ".pi", "workflows");
	return {
		globalRoot: join(session.agentDir, "workflows"),
		...(session.trusted ? { projectRoot: project } : { projectRoot: undefined, unreadRoot: project }),
		shippedRoot: shippedFolder("workflows"),
	};
}

/** Loads the catalogue from disk. */
export function loadCatalogue({ globalRoot, projectRoot, shippedRoot, unreadRoot }: Roots): Catalogue {
	const realDirectory = openRealDirectories();
	const readPhaseFile = openPhaseReader();
	const further: Diagnostic[] = [];
	const draftTier = (root: string, tier: Draft["tier"]): Draft[] => {
		const { candidates, diagnostics } = scanTier(root);
		further.push(...diagnostics);
		return candidates.map((candidate) => draftWorkflow(candidate, tier, readPhaseFile, realDirectory));
	};
	const global = draftTier(globalRoot, "global");
	const project = projectRoot === undefined || isSame(globalRoot, projectRoot) ? [] : draftTier(projectRoot, "project");
	const unread = new Set(unreadRoot === undefined ? [] : scanTier(unreadRoot).candidates.map(({ key }) => key));
	const shipped = shippedRoot === undefined ? [] : draftTier(shippedRoot, "shipped");
	return linkDrafts({ global, project, shipped: shipped.filter(({ key }) => !unread.has(key)) }, further);
}

function isSame(a: string, b: string): boolean {
	return a === b || (realPathOf(a) !== undefined && realPathOf(a) === realPathOf(b));
}

/** The files of a workflow, its phases and the workflows inside it. */
export function filesOfWorkflow(
	{ file, entries }: WorkflowDefinition,
	definitions: ReadonlyMap<string, WorkflowDefinition>,
	found = new Set<string>(),
): ReadonlySet<string> {
	if (found.has(file)) return found;
	found.add(file);
	for (const entry of entries) {
		const inner = entry.kind === "phase" ? undefined : definitions.get(entry.key);
		if (entry.kind === "phase") found.add(entry.file);
		else if (inner) filesOfWorkflow(inner, definitions, found);
	}
	return found;
}
