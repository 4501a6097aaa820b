// Merges the tiers into one catalogue: resolves keys, references, and command names.
// A project directory with a workflow.yaml claims its key, whether or not it loads: a broken workflow is never replaced by a global
// one, whose limits may differ; a workflow that refers to a missing one is rejected, and so is every workflow that refers to it;
// the result depends only on names, not on the order of directory listings; the package's workflows are chosen only for keys and commands that
// no workflow of the project or the user has.
import {
	type Diagnostic,
	didYouMean,
	loopFrom,
	type Place,
	quoted,
	sortDiagnostics,
} from "@pi-chronicle/core/definition";
import type { Catalogue, Rejection, WorkflowDefinition, WorkflowTier } from "./definition.ts";
import type { Draft } from "./draft.ts";

/** Links the drafts of all tiers. `further`: diagnostics that belong to no workflow. */
export function linkDrafts(
	{ global, project, shipped }: Readonly<Record<WorkflowTier, readonly Draft[]>>,
	further: readonly Diagnostic[],
): Catalogue {
	const linking = new Linking(further);
	linking.choose(global, project);
	linking.addShipped(shipped);
	linking.removeLoops();
	linking.removeDangling();
	return linking.catalogue();
}

class Linking {
	private readonly diagnostics: Diagnostic[];
	private readonly rejected = new Map<string, Rejection>();
	/** The draft chosen for each key. */
	private readonly chosen = new Map<string, Draft>();

	constructor(further: readonly Diagnostic[]) {
		this.diagnostics = [...further];
	}

	catalogue(): Catalogue {
		const drafts = [...this.chosen.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
		const definitions = new Map<string, WorkflowDefinition>();
		for (const { key, definition } of drafts) if (definition) definitions.set(key, definition);
		const commands = assignCommands(drafts, this.diagnostics);
		return Object.freeze({
			definitions,
			commands,
			rejected: new Map([...this.rejected].sort(([a], [b]) => (a < b ? -1 : 1))),
			diagnostics: sortDiagnostics([...new Set(this.diagnostics)]),
			mentions: drafts.flatMap(({ mentions }) => mentions),
		});
	}

	/** Chooses one draft for each key; project drafts take precedence over global ones. */
	choose(global: readonly Draft[], project: readonly Draft[]): void {
		const ofGlobal = new Map(this.pickNested(global).map((draft) => [draft.key, draft]));
		const ofProject = new Map(this.pickNested(project).map((draft) => [draft.key, draft]));
		for (const key of [...new Set([...ofGlobal.keys(), ...ofProject.keys()])].sort()) {
			const hidden = ofGlobal.get(key);
			const draft = ofProject.get(key) ?? hidden;
			// An ambiguous project key has already been rejected and hides the global one.
			if (!draft || this.rejected.get(key)?.tier === "project") continue;
			this.rejected.delete(key);
			this.diagnostics.push(...draft.diagnostics);
			if (draft.definition) this.chosen.set(key, draft);
			else
				this.reject(draft, hidden !== undefined && hidden !== draft && hidden.definition ? [hides(draft, hidden)] : []);
		}
	}

	/** Adds the package's workflows whose keys are free. */
	addShipped(shipped: readonly Draft[]): void {
		for (const draft of shipped) {
			if (this.chosen.has(draft.key) || this.rejected.has(draft.key)) continue;
			if (draft.definition) this.chosen.set(draft.key, draft);
			else this.reject(draft, []);
		}
	}

	/** Rejects workflows that would run themselves, directly or through others. */
	removeLoops(): void {
		const references = (key: string) => this.chosen.get(key)?.references.map((reference) => reference.key) ?? [];
		const loops = [...this.chosen.values()].flatMap((draft) => {
			const way = loopFrom(draft.key, references);
			return way ? [{ draft, way }] : [];
		});
		for (const { draft, way } of loops) this.reject(draft, [wouldLoop(draft, way)]);
	}

	/** Rejects workflows that refer to a missing one, then those that refer to them; each once, with one diagnostic per missing key. */
	removeDangling(): void {
		const referrers = new Map<string, Draft[]>();
		for (const draft of this.chosen.values())
			for (const key of new Set(draft.references.map((reference) => reference.key)))
				referrers.set(key, [...(referrers.get(key) ?? []), draft]);
		const known = [...this.chosen.keys()];
		const dangling = new Set([...referrers].flatMap(([key, drafts]) => (this.chosen.has(key) ? [] : drafts)));
		const queue = new Set([...this.chosen.values()].filter((draft) => dangling.has(draft)));
		for (const draft of queue) {
			this.reject(draft, this.missingReferences(draft, known));
			for (const referrer of referrers.get(draft.key) ?? []) queue.add(referrer);
		}
	}

	private missingReferences(draft: Draft, known: readonly string[]): Diagnostic[] {
		const missing = new Map<string, Place>();
		for (const { key, place } of draft.references)
			if (!this.chosen.has(key) && !missing.has(key)) missing.set(key, place);
		return [...missing].map(([key, place]) =>
			this.rejected.has(key) ? brokenReference(draft, key, place) : missingReference(draft, key, place, known),
		);
	}

	private reject(draft: Draft, added: readonly Diagnostic[] = []): void {
		const { key, tier, file } = draft;
		this.chosen.delete(key);
		this.diagnostics.push(...added);
		const before =
			this.rejected.get(key)?.diagnostics ?? draft.diagnostics.filter(({ severity }) => severity === "error");
		this.rejected.set(key, { key, tier, file, diagnostics: [...before, ...added] });
	}

	/** Picks one draft for each key of a tier: a direct one beats nested ones; nested ones with the same key are all rejected. */
	private pickNested(drafts: readonly Draft[]): Draft[] {
		const rivals = Map.groupBy(drafts, ({ key }) => key);
		return [...rivals.values()].flatMap((same) => {
			const winner = same.length === 1 ? same[0] : same.find(({ depth }) => depth === "direct");
			for (const rival of same) {
				if (rival === winner) continue;
				const problem = ambiguous(rival, same, winner ? "warning" : "error");
				if (winner) this.diagnostics.push(problem);
				else this.reject({ ...rival, diagnostics: [] }, [problem]);
			}
			return winner ?? [];
		});
	}
}

function ambiguous(draft: Draft, same: readonly Draft[], severity: Diagnostic["severity"]): Diagnostic {
	const others = same.filter((other) => other !== draft).map(({ file }) => quoted(file, 200));
	return {
		...startOf(draft),
		severity,
		code: "ambiguous-key",
		message:
			severity === "warning"
				? `Another workflow has the folder name ${quoted(draft.key)} at a higher level, so this one is ignored: ${others.join(", ")}.`
				: `More than one workflow has the folder name ${quoted(draft.key)}, so none is used: ${others.join(", ")}.`,
		remedy: "Rename one of the folders: references use folder names.",
	};
}

function hides(draft: Draft, hidden: Draft): Diagnostic {
	return {
		...startOf(draft),
		severity: "error",
		code: "hides-global",
		message: `The project's workflow ${quoted(draft.key)} does not load, and the global one of the same name does not replace it: ${quoted(hidden.file, 200)}.`,
		remedy: "Fix the project's workflow, or remove its folder to use the global one.",
	};
}

function wouldLoop(draft: Draft, way: readonly string[]): Diagnostic {
	return {
		...(draft.references.find(({ key }) => key === way[1])?.place ?? startOf(draft)),
		severity: "error",
		code: "loop",
		message: `Workflow ${quoted(draft.key)} would run itself endlessly: ${shortened(way).join(" → ")}.`,
		remedy: "Remove one of these references; to repeat phases use `loop` of `workflow_step`.",
	};
}

/** Number of keys shown at each end of a long loop. */
const shownAtEnds = 6;

function shortened(way: readonly string[]): readonly string[] {
	return way.length <= 2 * shownAtEnds ? way : [...way.slice(0, shownAtEnds), "…", ...way.slice(-shownAtEnds)];
}

function brokenReference(draft: Draft, key: string, place: Place): Diagnostic {
	return {
		...place,
		severity: "error",
		code: "broken-reference",
		message: `Workflow ${quoted(draft.key)} runs ${quoted(key)}, which does not load.`,
		remedy: `Fix ${quoted(key)}: its own problems are listed.`,
	};
}

function missingReference(draft: Draft, key: string, place: Place, known: readonly string[]): Diagnostic {
	return {
		...place,
		severity: "error",
		code: "missing-reference",
		message: `Workflow ${quoted(draft.key)} runs ${quoted(key)}, but there is no such workflow.${didYouMean(key, known)}`,
		remedy: "Write the name of a folder that contains a workflow.yaml, or remove the entry.",
	};
}

/** Ranks of the tiers: the smaller wins. */
const tierRank: Readonly<Record<WorkflowTier, number>> = { project: 0, global: 1, shipped: 2 };

/**
 * Assigns command names to definitions: visible beats hidden, the project's beats the user's, then the smaller key wins. The package's workflows get
 * the remaining names.
 */
function assignCommands(drafts: readonly Draft[], diagnostics: Diagnostic[]): Map<string, WorkflowDefinition> {
	const rank = (draft: Draft): string =>
		`${draft.tier === "shipped" ? 1 : 0}${draft.definition?.show === "user" ? 0 : 1}${tierRank[draft.tier]}${draft.key}`;
	const commands = new Map<string, WorkflowDefinition>();
	for (const draft of drafts.toSorted((a, b) => (rank(a) < rank(b) ? -1 : 1))) {
		const { definition } = draft;
		if (definition?.commandName === undefined) continue;
		const winner = commands.get(definition.commandName);
		if (!winner) {
			commands.set(definition.commandName, definition);
			continue;
		}
		if (draft.tier === "shipped") continue;
		diagnostics.push({
			...draft.commandPlace,
			severity: "warning",
			code: "duplicate-command",
			message: `\`/workflow ${definition.commandName}\` starts the ${winner.tier === "project" ? "project's" : "global"} workflow ${quoted(winner.key)}, so ${quoted(definition.key)} cannot be started by this name.`,
			remedy: "Give one of them another `commandName`.",
		});
	}
	return new Map([...commands].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function startOf({ file }: Draft): Place {
	return { file, line: 1, column: 1 };
}
