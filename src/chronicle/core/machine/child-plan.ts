// Plans the child runs of a state: how many, with which tasks, and whether they need folders of their own. Pure.
import { type Branch, type ChildrenPlan, hashDefinition, type StatePlan, type Template } from "../template/index.ts";
import { childId, MOST_CHILDREN, type PlannedChild } from "./child-run.ts";
import type { Run } from "./run.ts";

export type GroupPlan =
	| {
			readonly kind: "planned";
			readonly files: "own" | "shared";
			readonly children: readonly PlannedChild[];
	  }
	/** A sentence for the user. */
	| { readonly kind: "problem"; readonly detail: string };

interface Item {
	readonly text: string;
	readonly key?: string;
	readonly entry?: string;
}

type ItemsRead = { readonly items: readonly Item[] } | { readonly problem: string };

/** Tools that change nothing. */
export const READ_ONLY_TOOLS: ReadonlySet<string> = new Set(["read", "grep", "find", "ls"]);
const taskLength = 8000;

/** The children of the state that `plan` belongs to, in the current visit. */
export function planChildren(run: Run, plan: ChildrenPlan): GroupPlan {
	const branches = plan.branches.map((branch) => ({ branch, template: templateOf(run, branch) }));
	const missing = branches.find(({ template }) => !template);
	if (missing) return problem(`The template of "${missing.branch.name}" is not part of this run.`);
	const known = branches.flatMap(({ branch, template }) => (template ? [{ branch, template }] : []));
	const files = plan.files ?? (known.some(({ template }) => canWrite(run, template.plan)) ? "own" : "shared");
	if (files === "own" && run.baseline?.tree == null)
		return problem(
			`The children need folders of their own, but the files cannot be kept: ${run.baseline?.why ?? "unknown"}`,
		);
	const read: ItemsRead = plan.forEach === undefined ? { items: [] } : readItems(run, plan.forEach);
	if ("problem" in read) return problem(read.problem);
	if (read.items.length > MOST_CHILDREN)
		return problem(
			`\`for_each\` has ${read.items.length} entries, and a state can have at most ${MOST_CHILDREN} children.`,
		);
	const [only] = known;
	const wanted =
		plan.forEach === undefined
			? known.map(({ branch, template }, index) => ({ branch, template, index, item: undefined }))
			: read.items.flatMap((item) => (only ? [{ ...only, index: 0, item }] : []));
	const children = wanted.map(({ branch, template, index, item }, position): PlannedChild => {
		const number = position + 1;
		const variables = {
			task: run.task,
			index: String(number),
			...(item ? { item: item.text, [plan.as]: item.text } : {}),
		};
		const text = branch.task ?? (item ? "{item}" : "{task}");
		return {
			index: number,
			id: childId(run.id, run.visit, number),
			name: item ? itemName(branch.name, number, item) : branch.name,
			template: template.name,
			hash: template.hash,
			task: fill(text, variables).slice(0, taskLength),
			branch: index,
			...(item?.entry === undefined ? {} : { entry: item.entry }),
		};
	});
	return { kind: "planned", files, children };
}

function problem(detail: string): GroupPlan {
	return { kind: "problem", detail };
}

/** Unique: the number comes first. */
function itemName(branch: string, number: number, { key, text }: Item): string {
	const words = (key ?? text).replace(/\s+/g, " ").trim();
	return `${branch} ${number}${words ? `: ${words.length > 40 ? `${words.slice(0, 39)}…` : words}` : ""}`;
}

/** Replaces `{name}` for known names; everything else stays. */
function fill(text: string, variables: Readonly<Record<string, string>>): string {
	return text.replace(/\{([\w.-]+)\}/g, (whole, name: string) =>
		Object.hasOwn(variables, name) ? (variables[name] ?? whole) : whole,
	);
}

/** The definition of a child's template as pinned in the run. */
export function templateOf(
	run: Run,
	{ name, template }: Branch,
):
	| {
			readonly name: string;
			readonly hash: string;
			readonly definition: unknown;
			readonly plan: Template | undefined;
			readonly file?: string;
	  }
	| undefined {
	if (template.kind === "inline")
		return {
			name,
			hash: hashDefinition(template.definition),
			definition: template.definition,
			plan: template.template,
		};
	const pinned = run.template.children?.[template.name];
	return pinned && { name: template.name, ...pinned, plan: run.childPlans.get(template.name) };
}

/** Whether a worker of the template, or of a child of it, may change files. */
function canWrite(run: Run, template: Template | undefined): boolean {
	if (!template) return true;
	return [...template.states.values()].some((state) => stateCanWrite(run, state));
}

function stateCanWrite(run: Run, { tools, persona, children, cleanup, extensions }: StatePlan): boolean {
	if (children) return children.branches.some((branch) => canWrite(run, templateOf(run, branch)?.plan));
	if (!persona) return false;
	if (cleanup.length > 0 || extensions.length > 0) return true;
	if (tools) return tools.some((tool) => !READ_ONLY_TOOLS.has(tool));
	return !(run.template.readOnlyAgents ?? []).includes(persona.name);
}

function readItems({ snapshot }: Run, source: string): ItemsRead {
	if (source === "pendingTasks" || source === "findings") {
		const dropped = snapshot.dropped[source];
		if (dropped > 0)
			return {
				problem: `${dropped} ${source} were dropped for length, so not every one can have a child: save a list under a key instead.`,
			};
		return {
			items: snapshot[source].map(({ id, key, text }) => ({ text, entry: id, ...(key === undefined ? {} : { key }) })),
		};
	}
	const found = snapshot.findings.find(({ key }) => key === source);
	if (!found) return { problem: `\`for_each\` names "${source}", but no worker has saved a list under this key.` };
	if (found.cut) return { problem: `The list "${source}" is too long to be kept whole; save a shorter one.` };
	return readList(found.text, source);
}

/** A list that a worker saved: JSON, or one item per line. */
function readList(text: string, source: string): ItemsRead {
	const trimmed = text.trim();
	if (!trimmed.startsWith("[")) {
		const lines = trimmed.split("\n").map((line) => line.replace(/^\s*(?:[-*]|\d+[.)])\s+/, "").trim());
		return { items: lines.filter(Boolean).map((line) => ({ text: line })) };
	}
	let value: unknown;
	try {
		value = JSON.parse(trimmed);
	} catch {
		return { problem: `The list "${source}" is not valid JSON.` };
	}
	return itemsOf(value, source);
}

/** The items of a list of texts or numbers. */
export function itemsOf(value: unknown, source: string): ItemsRead {
	if (!Array.isArray(value)) return { problem: `"${source}" is not a list.` };
	const bad = value.findIndex((item) => typeof item !== "string" && typeof item !== "number");
	if (bad !== -1)
		return { problem: `Entry ${bad + 1} of "${source}" is not a text: ${JSON.stringify(value[bad])?.slice(0, 80)}.` };
	return { items: value.map((item) => ({ text: String(item) })) };
}
