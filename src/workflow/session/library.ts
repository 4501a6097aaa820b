// The workflows that this session can start: read from disk when somebody asks, not per keystroke.

import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { definitionsTrusted } from "../../pi/index.ts";
import { type Catalogue, loadCatalogue, workflowRoots } from "../definitions/index.ts";

/** Where a session looks: its working directory, and whether the person trusts what lies there. */
export interface ProjectContext {
	readonly cwd: string;
	readonly trusted: boolean;
}

export function projectContext(ctx: ExtensionContext): ProjectContext {
	return { cwd: ctx.cwd, trusted: definitionsTrusted(ctx) };
}

export interface Library {
	/** The catalogue as the disk has it now. */
	load(place: ProjectContext): Catalogue;
	/** The catalogue as it was a moment ago, for completions: the disk is looked at once in a while, not with every key. */
	recent(place: ProjectContext): Catalogue;
}

/** How old in ms what completions offer may be. */
const recentFor = 2_000;

/** Opens the library of one session; `agentDir` is pi's agent directory. */
export function openLibrary(agentDir: string): Library {
	let last: { readonly place: ProjectContext; readonly at: number; readonly catalogue: Catalogue } | undefined;
	const load = (place: ProjectContext): Catalogue => {
		const catalogue = loadCatalogue(workflowRoots({ agentDir, ...place }));
		last = { place, at: performance.now(), catalogue };
		return catalogue;
	};
	return {
		load,
		recent: (place) =>
			last &&
			last.place.cwd === place.cwd &&
			last.place.trusted === place.trusted &&
			performance.now() - last.at < recentFor
				? last.catalogue
				: load(place),
	};
}
