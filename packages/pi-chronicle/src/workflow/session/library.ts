// The workflows that this session can start. They are read from disk on demand, but not on every keystroke.

import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { definitionsTrusted } from "../../pi/index.ts";
import { type Catalogue, loadCatalogue, workflowRoots } from "../definitions/index.ts";

/** The working directory of a session, and whether the user trusts its definitions. */
export interface ProjectContext {
	readonly cwd: string;
	readonly trusted: boolean;
}

export function projectContext(ctx: ExtensionContext): ProjectContext {
	return { cwd: ctx.cwd, trusted: definitionsTrusted(ctx) };
}

export interface Library {
	/** Loads the catalogue from disk. */
	load(place: ProjectContext): Catalogue;
	/** A catalogue that may be up to `recentFor` old, for completions: avoids reading the disk on every keystroke. */
	recent(place: ProjectContext): Catalogue;
}

/** Maximum age of the catalogue for completions, in ms. */
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
