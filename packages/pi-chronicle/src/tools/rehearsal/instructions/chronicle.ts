// Checks a template's instructions, agents' files included, against what each state's worker can have.

import type { Diagnostic } from "@pi-chronicle/core/definition";
import { referencesIn, splitReference } from "@pi-chronicle/core/output";
import type { Template } from "@pi-chronicle/core/template";
import type { FoundTemplate } from "../../../local/index.ts";
import type { AgentRegistry } from "../../../persona/index.ts";
import { type NeedKind, needsIn } from "./needs.ts";
import { type Abilities, cannotFollow, comesTooLate, openPlaces, type Placed } from "./problem.ts";
import { hasOtherTools, personaOf, toolsOfStates } from "./state-tools.ts";

interface TemplateSurroundings {
	readonly registry: AgentRegistry;
	/** Names of the templates that others run as children: what those begin with is not known here. */
	readonly childNames: ReadonlySet<string>;
}

/** Warnings about the instructions of a template; of one with errors, about the states that could be read. */
export function checkTemplateInstructions(
	{ file, key, read, partial }: Pick<FoundTemplate, "file" | "key" | "read" | "partial">,
	around: TemplateSurroundings,
): Diagnostic[] {
	const template = read?.template ?? partial;
	if (!template) return [];
	const places = openPlaces(file);
	const found = checkTemplate(template, { around, places, path: [], told: around.childNames.has(key) });
	const seen = new Set<string>();
	return found.filter(({ file: where, line, column, message }) => {
		const mark = `${where}:${line}:${column}:${message}`;
		return !seen.has(mark) && seen.add(mark);
	});
}

interface Scope {
	readonly around: TemplateSurroundings;
	readonly places: Placed;
	/** Keys that lead to the template in its file. */
	readonly path: readonly string[];
	/** Its first worker may begin with findings and tasks of a parent. */
	readonly told: boolean;
}

type State = NonNullable<ReturnType<Template["states"]["get"]>>;

function checkTemplate(template: Template, given: Scope): Diagnostic[] {
	const before = statesBefore(template);
	const { states } = template;
	// A state that could not be read may lead to any other.
	const isWhole = [...states.values()].every(({ next }) => next.every((target) => states.has(target)));
	const scope = isWhole ? given : { ...given, told: true };
	return [...states.values()].flatMap((state) => [
		...(state.persona ? checkState(template, state, before, scope) : []),
		...(isWhole ? lateReferences(template, state, before, scope) : []),
		...checkChildren(template, state, before, scope),
	]);
}

function checkState(template: Template, state: State, before: Before, scope: Scope): Diagnostic[] {
	const persona = personaOf(state, scope.around.registry);
	const tools = hasOtherTools(state, persona) ? undefined : toolsOfStates(template, scope.around.registry)(state.name);
	const able = abilitiesOf(state, tools, isTold(template, state, before, scope));
	const who = `The state "${state.name}"`;
	const path = [...scope.path, "states", state.name, "instructions"];
	const own = unmet(state.instructions ?? "", able).map(({ kind, words }) =>
		cannotFollow(who, kind, words, scope.places.find(words, path)),
	);
	if (persona?.origin.kind !== "file") return own;
	const agentPlaces = openPlaces(persona.origin.file);
	const inAgent = unmet(persona.prompt, able).map(({ kind, words }) =>
		cannotFollow(`${who} of ${template.name}, whose agent this is,`, kind, words, agentPlaces.find(words, [])),
	);
	return [...own, ...inAgent];
}

function unmet(text: string, able: Abilities): { readonly kind: NeedKind; readonly words: string }[] {
	return needsIn(text).filter(({ kind }) => !able[kind]);
}

function abilitiesOf(state: State, tools: readonly string[] | undefined, told: boolean): Abilities {
	const has = (name: string): boolean => tools === undefined || tools.includes(name);
	const edits = has("edit") || has("write");
	const write = edits || (has("bash") && state.shell === "free");
	// A program's effects are unknown, which `strict` refuses to a worker that may not write.
	const shell = has("bash") && (edits || state.shell !== "strict");
	return { shell, write, worktree: write, user: state.questions !== "none", findings: told, tasks: told };
}

/** The states from which a path leads to each state. */
type Before = ReadonlyMap<string, ReadonlySet<string>>;

function statesBefore({ states }: Template): Before {
	const next = new Map<string, readonly string[]>(
		[...states.values()].map(({ name, next: targets, terminal, persona }) => [
			name,
			[...targets, ...(persona && !terminal && states.has(person) ? [person] : [])],
		]),
	);
	const before = new Map([...states.keys()].map((name) => [name, new Set<string>()]));
	for (const from of states.keys()) {
		const open = [...(next.get(from) ?? [])];
		for (let target = open.pop(); target !== undefined; target = open.pop()) {
			const known = before.get(target);
			if (!known || known.has(from)) continue;
			known.add(from);
			open.push(...(next.get(target) ?? []));
		}
	}
	return before;
}

const person = "human_intervention";

function isTold({ states }: Template, { name }: State, before: Before, { told }: Scope): boolean {
	const earlier = [...(before.get(name) ?? [])].map((each) => states.get(each));
	return told || earlier.some((state) => state?.persona !== undefined || state?.children !== undefined);
}

function lateReferences({ states }: Template, state: State, before: Before, scope: Scope): Diagnostic[] {
	const path = [...scope.path, "states", state.name];
	const texts = [
		{ text: state.description ?? "", at: "description" },
		{ text: state.instructions ?? "", at: "instructions" },
		...(state.children?.branches ?? []).map(({ task = "" }) => ({ text: task, at: "branches" })),
		{ text: state.children?.forEach?.startsWith("output.") ? `{${state.children.forEach}}` : "", at: "for_each" },
	];
	return texts.flatMap(({ text, at }) =>
		referencesIn(text).flatMap((reference) => {
			const from = splitReference(reference, states.keys())?.state;
			if (from === undefined || before.get(state.name)?.has(from)) return [];
			const place = scope.places.find(`output.${reference}`, [...path, at]);
			return [comesTooLate(`The state "${state.name}"`, reference, from, place)];
		}),
	);
}

/** Checks the templates that are written in a state; they begin with what the parent knows by then. */
function checkChildren(template: Template, state: State, before: Before, scope: Scope): Diagnostic[] {
	return (state.children?.branches ?? []).flatMap(({ name, template: child }) => {
		if (child.kind !== "inline") return [];
		const path = [...scope.path, "states", state.name, "branches", name];
		return checkTemplate(child.template, { ...scope, path, told: isTold(template, state, before, scope) });
	});
}

/** What surrounds templates of these files and agents. */
export function aroundTemplates(registry: AgentRegistry, found: Iterable<FoundTemplate>): TemplateSurroundings {
	const names = new Set<string>();
	const add = (template: Template): void => {
		for (const { children } of template.states.values())
			for (const { template: child } of children?.branches ?? [])
				if (child.kind === "inline") add(child.template);
				else names.add(child.name);
	};
	for (const { read } of found) if (read) add(read.template);
	return { registry, childNames: names };
}
