// Loads every workflow that a session can see into one immutable catalogue, with everything that is wrong told in it.
// C1 loading never throws and prints nothing; C2 good definitions load whatever stands beside them; C3 with a memory, loading again
// gives the same object while nothing on disk has changed, and a change is never missed.
import { realpathSync } from "node:fs";
import { join } from "node:path";
import type { Diagnostic } from "../../definition/index.ts";
import type { Catalogue } from "./definition.ts";
import { type Draft, draftWorkflow, type Memories } from "./draft.ts";
import { openRealDirectories, type RealDirectories } from "./entry-path.ts";
import { isUnchanged, openFileMemory, type Sight } from "./file-memory.ts";
import { linkDrafts } from "./link.ts";
import { readPhase } from "./phase-file.ts";
import { scanTier } from "./scan.ts";
import { readWorkflow } from "./workflow-file.ts";

/** Absolute paths of the directories that hold workflows; they need not exist. */
export interface Roots {
	readonly globalRoot: string;
	/** `undefined` where the project has none or is not trusted. */
	readonly projectRoot: string | undefined;
}

/** What one session remembers between loads. */
export interface CatalogueMemory extends Memories {
	last: { readonly roots: Roots; readonly catalogue: Catalogue; readonly sights: readonly Sight[] } | undefined;
}

/** Opens an empty memory; a session keeps one. */
export function openCatalogueMemory(): CatalogueMemory {
	return { workflows: openFileMemory(readWorkflow), phases: openFileMemory(readPhase), last: undefined };
}

/**
 * Where a session's workflows lie: below pi's agent directory (`getAgentDir()`, which treats an empty variable as unset and expands
 * `~`), and in `.pi/workflows` of the working directory if the project is trusted.
 */
export function workflowRoots(session: { agentDir: string; cwd: string; trusted: boolean }): Roots {
	return {
		globalRoot: join(session.agentDir, "workflows"),
		projectRoot: session.trusted ? join(session.cwd, ".pi", "workflows") : undefined,
	};
}

/** Loads the catalogue. The same memory makes loading again cheap: one look at each file. */
export function loadCatalogue(roots: Roots, memory: CatalogueMemory = openCatalogueMemory()): Catalogue {
	const { last } = memory;
	if (last && last.roots.globalRoot === roots.globalRoot && last.roots.projectRoot === roots.projectRoot) {
		if (last.sights.every(isUnchanged)) return last.catalogue;
	}

	const realDirectory = openRealDirectories();
	const sights: Sight[] = [];
	const further: Diagnostic[] = [];
	const global = draftTier(roots.globalRoot, "global", memory, realDirectory, sights, further);
	const own = roots.projectRoot !== undefined && !isSame(roots.globalRoot, roots.projectRoot);
	const project =
		own && roots.projectRoot !== undefined
			? draftTier(roots.projectRoot, "project", memory, realDirectory, sights, further)
			: [];
	const catalogue = linkDrafts(global, project, further);
	sights.push(...memory.workflows.endPass(), ...memory.phases.endPass());
	memory.last = { roots: { ...roots }, catalogue, sights };
	return catalogue;
}

function draftTier(
	root: string,
	tier: Draft["tier"],
	memory: Memories,
	realDirectory: RealDirectories,
	sights: Sight[],
	further: Diagnostic[],
): Draft[] {
	const scan = scanTier(root, (file) => memory.workflows.read(file).kind !== "absent");
	further.push(...scan.diagnostics);
	sights.push(...scan.looked);
	return scan.candidates.map((candidate) => draftWorkflow(candidate, tier, memory, realDirectory));
}

function isSame(a: string, b: string): boolean {
	if (a === b) return true;
	try {
		return realpathSync.native(a) === realpathSync.native(b);
	} catch {
		return false;
	}
}
