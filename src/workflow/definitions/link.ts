// Joins the two tiers into one catalogue: which definition a key means, which references hold, which command starts what.
// L1 a project's directory with a workflow.yaml claims its key, whether or not it loads: a broken one never gives way to a global
// one, whose limits may differ; L2 what refers to something that is not there is removed, and what refers to that in turn, in linear
// time; L3 the result depends on names alone, never on the order of listings.
import { type Diagnostic, didYouMean, loopFrom, type Place, quoted, sortDiagnostics } from "../../definition/index.ts";
import type { Catalogue, Rejection, ToolMention, WorkflowDefinition } from "./definition.ts";
import type { Draft } from "./draft.ts";

/** Links the drafts of both tiers. `further` are diagnostics that belong to no workflow. */
export function linkDrafts(
	global: readonly Draft[],
	project: readonly Draft[],
	further: readonly Diagnostic[],
): Catalogue {
	const diagnostics: Diagnostic[] = [...further];
	const rejected = new Map<string, Rejection>();
	const chosen = new Map<string, Draft>();
	const reject = (draft: Draft, added: readonly Diagnostic[] = []): void => {
		chosen.delete(draft.key);
		diagnostics.push(...added);
		const before = rejected.get(draft.key)?.diagnostics ?? draft.diagnostics.filter(isError);
		const { key, tier, file } = draft;
		rejected.set(key, { key, tier, file, diagnostics: [...before, ...added] });
	};

	const byKey = new Map<string, Draft[]>();
	for (const draft of [...pickNested(global, diagnostics, reject), ...pickNested(project, diagnostics, reject)])
		byKey.set(draft.key, [...(byKey.get(draft.key) ?? []), draft]);
	for (const key of [...byKey.keys()].sort()) {
		const [first, second] = byKey.get(key) ?? [];
		const draft = second ?? first;
		// An ambiguous key of the project has been rejected already and hides the global one.
		if (!draft || rejected.get(key)?.tier === "project") continue;
		rejected.delete(key);
		diagnostics.push(...draft.diagnostics);
		if (draft.definition) chosen.set(key, draft);
		else reject(draft, second && first?.definition ? [hides(draft, first)] : []);
	}

	removeLoops(chosen, reject);
	removeDangling(chosen, rejected, reject);

	const definitions = new Map<string, WorkflowDefinition>();
	const mentions: ToolMention[] = [];
	for (const key of [...chosen.keys()].sort()) {
		const draft = chosen.get(key);
		if (!draft?.definition) continue;
		definitions.set(key, draft.definition);
		mentions.push(...draft.mentions);
	}
	const commands = assignCommands([...chosen.values()], diagnostics);
	return Object.freeze({
		definitions,
		commands,
		rejected: new Map([...rejected].sort(([a], [b]) => (a < b ? -1 : 1))),
		diagnostics: sortDiagnostics([...new Set(diagnostics)]),
		mentions,
	});
}

type Reject = (draft: Draft, added?: readonly Diagnostic[]) => void;

/** One draft for each key of a tier: a direct one beats nested ones, and two nested ones reject each other. */
function pickNested(drafts: readonly Draft[], diagnostics: Diagnostic[], reject: Reject): Draft[] {
	const byKey = new Map<string, Draft[]>();
	for (const draft of drafts) byKey.set(draft.key, [...(byKey.get(draft.key) ?? []), draft]);
	const picked: Draft[] = [];
	for (const [key, rivals] of byKey) {
		const winner = rivals.length === 1 ? rivals[0] : rivals.find(({ depth }) => depth === "direct");
		if (winner) picked.push(winner);
		for (const rival of rivals) {
			if (rival === winner) continue;
			const others = rivals.filter((other) => other !== rival).map(({ file }) => quoted(file, 200));
			const said: Diagnostic = {
				...startOf(rival),
				severity: winner ? "warning" : "error",
				code: "ambiguous-key",
				message: winner
					? `Another workflow has the directory name ${quoted(key)} and stands higher up, so this one is not used: ${others.join(", ")}.`
					: `More than one workflow has the directory name ${quoted(key)}, so none of them is used: ${others.join(", ")}.`,
				remedy: "Rename one of the directories: references go by directory name.",
			};
			if (winner) diagnostics.push(said);
			else reject({ ...rival, diagnostics: [] }, [said]);
		}
	}
	return picked;
}

function hides(draft: Draft, hidden: Draft): Diagnostic {
	return {
		...startOf(draft),
		severity: "error",
		code: "hides-global",
		message: `The project's workflow ${quoted(draft.key)} does not load, and the global one of the same name is not used in its place: ${quoted(hidden.file, 200)}.`,
		remedy: "Fix the project's workflow, or remove its directory to use the global one.",
	};
}

function removeLoops(chosen: ReadonlyMap<string, Draft>, reject: Reject): void {
	const references = (key: string) => chosen.get(key)?.references.map((reference) => reference.key) ?? [];
	const loops = [...chosen.values()].flatMap((draft) => {
		const way = loopFrom(draft.key, references);
		return way ? [{ draft, way }] : [];
	});
	for (const { draft, way } of loops)
		reject(draft, [
			{
				...(draft.references.find(({ key }) => key === way[1])?.place ?? startOf(draft)),
				severity: "error",
				code: "loop",
				message: `Workflow ${quoted(draft.key)} would run itself without end: ${shortened(way).join(" → ")}.`,
				remedy: "Remove one of these references; to repeat phases use `loop` of `workflow_step`.",
			},
		]);
}

/** How many keys of a long loop are shown at each end. */
const shownAtEnds = 6;

function shortened(way: readonly string[]): readonly string[] {
	return way.length <= 2 * shownAtEnds ? way : [...way.slice(0, shownAtEnds), "…", ...way.slice(-shownAtEnds)];
}

/** Removes what refers to something missing, then what refers to that, each once and with one diagnostic a reference. */
function removeDangling(chosen: Map<string, Draft>, rejected: ReadonlyMap<string, Rejection>, reject: Reject): void {
	const referrers = new Map<string, Draft[]>();
	const waiting: Draft[] = [];
	for (const draft of chosen.values()) {
		let dangling = false;
		for (const key of new Set(draft.references.map((reference) => reference.key))) {
			if (!chosen.has(key)) dangling = true;
			const known = referrers.get(key);
			if (known) known.push(draft);
			else referrers.set(key, [draft]);
		}
		if (dangling) waiting.push(draft);
	}
	const queued = new Set(waiting);
	const known = [...chosen.keys()];
	for (const draft of waiting) {
		const missing = new Map<string, Place>();
		for (const { key, place } of draft.references) if (!chosen.has(key) && !missing.has(key)) missing.set(key, place);
		reject(
			draft,
			[...missing].map(([key, place]): Diagnostic => {
				const failed = rejected.has(key);
				const near = failed ? "" : didYouMean(key, known);
				return {
					...place,
					severity: "error",
					code: failed ? "broken-reference" : "missing-reference",
					message: failed
						? `Workflow ${quoted(draft.key)} runs ${quoted(key)}, which does not load.`
						: `Workflow ${quoted(draft.key)} runs ${quoted(key)}, and there is no such workflow.${near}`,
					remedy: failed
						? `Fix ${quoted(key)}: its own problems are listed.`
						: "Write the name of a directory that has a workflow.yaml, or remove the entry.",
				};
			}),
		);
		for (const referrer of referrers.get(draft.key) ?? [])
			if (!queued.has(referrer)) {
				queued.add(referrer);
				waiting.push(referrer);
			}
	}
}

/** Which definition a command name means: visible beats hidden, project beats global, then the smaller key. */
function assignCommands(drafts: readonly Draft[], diagnostics: Diagnostic[]): Map<string, WorkflowDefinition> {
	const rank = (draft: Draft): string =>
		`${draft.definition?.show === "user" ? 0 : 1}${draft.tier === "project" ? 0 : 1}${draft.key}`;
	const commands = new Map<string, WorkflowDefinition>();
	for (const draft of drafts.toSorted((a, b) => (rank(a) < rank(b) ? -1 : 1))) {
		const { definition } = draft;
		if (definition?.commandName === undefined) continue;
		const winner = commands.get(definition.commandName);
		if (!winner) {
			commands.set(definition.commandName, definition);
			continue;
		}
		diagnostics.push({
			...draft.commandPlace,
			severity: "warning",
			code: "duplicate-command",
			message: `\`/workflow ${definition.commandName}\` starts the ${winner.tier === "project" ? "project's" : "global"} workflow ${quoted(winner.key)}, so ${quoted(definition.key)} cannot be started by this name.`,
			remedy: "Give one of the two another `commandName`.",
		});
	}
	return new Map([...commands].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function startOf({ file }: Draft): Place {
	return { file, line: 1, column: 1 };
}

function isError({ severity }: Diagnostic): boolean {
	return severity === "error";
}
