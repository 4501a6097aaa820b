// Resolves a state's definition into a worker spec: persona, tools, model, skills, extensions. Starts nothing.
// All problems of a state are reported at once; nothing is guessed: an unresolved name is a problem, a fallback gives a notice.
import { didYouMean, isListed, quoted } from "@pi-chronicle/core/definition";
import { READ_ONLY_TOOLS } from "@pi-chronicle/core/machine";
import type { LaunchFault, StateProblem } from "@pi-chronicle/core/ports";
import type { StatePlan } from "@pi-chronicle/core/template";
import {
	type AgentRegistry,
	BUILT_IN_EXTENSION_TOOLS,
	chooseModel,
	findSkill,
	inlinePersona,
	keepAllowed,
	type Model,
	type ModelRoles,
	namedModels,
	type Persona,
	readThinking,
	readToolNames,
	resolvePersona,
	type SkillPlaces,
	THINKING_LEVELS,
	type ThinkingLevel,
} from "../../persona/index.ts";
import { type ExtensionPlace, findExtension } from "../../pi/index.ts";
import type { UnchangedProject } from "./brief.ts";
import { OWN_TOOLS } from "./extension/index.ts";
import type { RequestedTool, ToolOrder } from "./tool-order.ts";

export interface WorkerResources {
	readonly agents: AgentRegistry;
	readonly skills: SkillPlaces;
	/** Available models. Called only if a state or persona names one. */
	models(signal?: AbortSignal): Promise<readonly Model[]>;
	/** Models that take over where a state names no other, as the user names them; absent: none. */
	readonly fallback?: readonly string[];
	/** What the roles `cheap` and `strong` stand for, as the user names them; absent or empty: the session's model. */
	readonly roles?: ModelRoles;
	/** Folder that paths in a template are relative to. */
	readonly cwd: string;
	/** Locations of extensions by name. */
	readonly extensions: Omit<ExtensionPlace, "cwd">;
	readonly platform: NodeJS.Platform;
}

/** Everything the command line needs. */
export interface WorkerSpec {
	readonly persona: Persona;
	/** pi's names and patterns, without the workflow tools. */
	readonly tools: readonly string[];
	/** For `--model`; `undefined`: pi chooses. */
	readonly model: string | undefined;
	/** `provider/id` that the worker must report; `undefined`: as pi resolves `model`. */
	readonly exactModel: string | undefined;
	/** `provider/id` of the fallback models, in order, for a provider failure. */
	readonly fallbacks: readonly string[];
	readonly thinking: ThinkingLevel | undefined;
	/** Absolute paths. */
	readonly skills: readonly string[];
	/** For `-e`. */
	readonly extensions: readonly string[];
	/** If the state loads extensions: the tools of theirs that it gets. */
	readonly order: ToolOrder | undefined;
	/** `none`: it cannot ask the user. */
	readonly questions: "none" | undefined;
	/** Limits of a worker that is not meant to change the project; `undefined`: it may. */
	readonly unchanged: UnchangedProject | undefined;
	/** For the user. */
	readonly notices: readonly string[];
}

type SpecProblem = Pick<StateProblem, "severity" | "message" | "remedy" | "fields"> & {
	readonly part: LaunchFault["reason"];
};

export interface ResolvedSpec {
	/** `undefined` if a problem is an error. */
	readonly spec: WorkerSpec | undefined;
	readonly problems: readonly SpecProblem[];
}

/** The tools of a worker whose persona lists none: pi's default. */
const DEFAULT_TOOLS = ["read", "bash", "edit", "write"];

/** Resolves a state. `sessionModel` (`provider/id`) is used if neither the state nor the persona names a model. */
export async function resolveWorkerSpec(
	state: StatePlan,
	sessionModel: string | undefined,
	resources: WorkerResources,
	signal?: AbortSignal,
): Promise<ResolvedSpec> {
	const problems: SpecProblem[] = [];
	const persona = specPersona(state, resources.agents, problems);
	const loaded = extensionsOf(state, resources, problems);
	const { tools, order } = specTools(state, persona, resources, problems);
	const { model, exactModel, fallbacks, thinking } = await modelOf(
		state,
		persona,
		sessionModel,
		resources,
		problems,
		signal,
	);
	const skills = specSkills(state, persona, resources, problems);
	const own = tools.flatMap(
		(tool) => BUILT_IN_EXTENSION_TOOLS.get(tool) ?? (tool.startsWith("mcp__") ? ["builtin:mcp"] : []),
	);
	const extensions = [...new Set([...loaded, ...own])];
	const failed = problems.some(({ severity }) => severity === "error");
	const notices = problems.map(({ message }) => message);
	return {
		spec: failed
			? undefined
			: {
					...{ persona, tools, model, exactModel, fallbacks, thinking, skills, extensions, order, notices },
					questions: state.questions,
					unchanged: unchangedBy(state, tools, order),
				},
		problems,
	};
}

/** The limits of a worker whose tools have neither `edit` nor `write`, unless its state lifts them. */
function unchangedBy(
	{ shell }: StatePlan,
	tools: readonly string[],
	order: ToolOrder | undefined,
): UnchangedProject | undefined {
	const names = [...tools, ...(order?.requested ?? []).map(({ written }) => written)];
	const isWriter = isListed(names, "edit") || isListed(names, "write");
	// pi's tools for reading change nothing.
	const onlyReads = order === undefined && names.every((name) => READ_ONLY_TOOLS.has(name));
	return shell === "free" || isWriter || onlyReads ? undefined : { shell, tools: names };
}

function specPersona(state: StatePlan, agents: AgentRegistry, problems: SpecProblem[]): Persona {
	const wanted = state.persona;
	if (!wanted) return inlinePersona(`Specialist for ${state.description ?? state.name}`);
	const found = resolvePersona({ ...wanted, team: state.team, listsTools: state.tools !== undefined }, agents);
	if (found.kind === "persona") {
		// Whether an extension of the state provides a tool is known once it is loaded.
		const open = state.extensions.length > 0 ? ["foreign-tool", "absent-tool"] : [];
		for (const { code, message, remedy } of found.notices) {
			if (!open.includes(code)) problems.push({ severity: "warning", part: "persona", message, remedy });
		}
		return found.persona;
	}
	const { message, remedy } = found.problem;
	problems.push({ severity: "error", part: "persona", message, remedy });
	return inlinePersona(wanted.name || state.name);
}

interface StateTools {
	readonly tools: readonly string[];
	readonly order: ToolOrder | undefined;
}

function specTools(
	state: StatePlan,
	persona: Persona,
	resources: WorkerResources,
	problems: SpecProblem[],
): StateTools {
	const extended = state.extensions.length > 0;
	// Naming the tools that every worker has is harmless.
	const names = state.tools?.filter((name) => !isListed(OWN_TOOLS, name.trim()));
	const listed = names && (extended ? requestedTools(names, problems) : statesTools(names, problems));
	const meant = listed?.requested.flatMap(({ otherwise }) => otherwise ?? []) ?? [];
	const written = listed ? [...listed.tools, ...meant] : (persona.tools ?? DEFAULT_TOOLS);
	const tools = withoutPowershell([...new Set(written)], resources.platform, problems);
	const { kept, left } = keepAllowed(tools, persona.restrictions);
	if (state.tools && left.length > 0) {
		problems.push({
			severity: "warning",
			part: "tools",
			fields: ["tools"],
			message: `The agent ${quoted(persona.name)} may not have ${left.map((tool) => quoted(tool)).join(", ")}, regardless of the state's list; the worker runs without it.`,
			remedy: "Remove the restriction from the agent file, or the tool from the state.",
		});
	}
	if (!extended) return { tools: kept, order: undefined };
	const order: ToolOrder = {
		// The tool of pi that `requested` refers to is added if no extension registers the name.
		tools: listed ? kept.filter((tool) => listed.tools.includes(tool)) : kept,
		requested: listed?.requested ?? [],
		extensionTools: listed?.extensionTools ?? "all",
		hoped: listed ? [] : persona.foreign,
		restrictions: persona.restrictions,
	};
	return { tools: kept, order };
}

function withoutPowershell(
	tools: readonly string[],
	platform: NodeJS.Platform,
	problems: SpecProblem[],
): readonly string[] {
	if (platform === "win32" || !tools.includes("powershell")) return tools;
	problems.push({
		severity: "warning",
		part: "tools",
		fields: ["tools"],
		message: "The tool `powershell` exists only on Windows, so it is omitted here.",
		remedy: "Name `bash` as well for other systems.",
	});
	return tools.filter((tool) => tool !== "powershell");
}

type ListedTool = Pick<ToolOrder, "tools" | "requested" | "extensionTools">;

/** The tools that a state lists. */
function statesTools(written: readonly string[], problems: SpecProblem[]): ListedTool {
	const parsed = readToolNames(written);
	for (const { severity, code, message, remedy } of parsed.problems) {
		// A state requires the tools that it lists.
		problems.push({
			severity: code === "foreign-tool" ? "error" : severity,
			part: "tools",
			fields: ["tools"],
			message,
			remedy,
		});
	}
	return {
		tools: [...(parsed.kind === "all" ? DEFAULT_TOOLS : []), ...parsed.names],
		requested: [],
		extensionTools: "named",
	};
}

/** The tools that a state with extensions lists: any name may be a tool of an extension, which only the worker can determine. */
function requestedTools(written: readonly string[], problems: SpecProblem[]): ListedTool {
	const tools: string[] = [];
	const requested: RequestedTool[] = [];
	let extensionTools: ListedTool["extensionTools"] = "named";
	for (const word of written) {
		const parsed = readToolNames([word]);
		const limited = parsed.problems.find(({ code }) => code === "limited-tool");
		const [name] = parsed.names;
		if (limited) problems.push({ ...limited, part: "tools", fields: ["tools"] });
		else if (parsed.kind === "all") {
			tools.push(...DEFAULT_TOOLS);
			extensionTools = "all";
		} else if (name?.startsWith("mcp__")) tools.push(name);
		else if (name !== undefined || parsed.problems.length > 0)
			requested.push({ written: word.trim(), otherwise: name });
	}
	return { tools, requested, extensionTools };
}

async function modelOf(
	state: StatePlan,
	persona: Persona,
	sessionModel: string | undefined,
	resources: WorkerResources,
	problems: SpecProblem[],
	signal?: AbortSignal,
): Promise<Pick<WorkerSpec, "model" | "exactModel" | "fallbacks" | "thinking">> {
	const stateModels = [...(state.model === undefined ? [] : [state.model]), ...(state.models ?? [])];
	const written = stateModels.length === 0 ? persona.models : stateModels;
	const wanted = written.flatMap((word) => namedModels(word, resources.roles));
	const stated = state.thinking === undefined ? undefined : readThinking(state.thinking);
	if (state.thinking !== undefined && stated === undefined) {
		problems.push({
			severity: "error",
			part: "model",
			fields: ["thinking"],
			message: `${quoted(state.thinking)} is not a thinking level.${didYouMean(state.thinking, THINKING_LEVELS)}`,
			remedy: `Write one of ${THINKING_LEVELS.join(", ")}.`,
		});
	}
	const own = stated ?? persona.thinking;
	return {
		...(await chooseModels(wanted, othersOf(state, wanted, resources), { sessionModel, resources, problems, signal })),
		...(own === undefined ? {} : { thinking: own }),
	};
}

/** Models that take over after those that the state or its persona names. */
function othersOf({ fallback }: StatePlan, wanted: readonly string[], resources: WorkerResources): readonly string[] {
	return fallback ?? (wanted.length > 1 ? [] : (resources.fallback ?? []));
}

interface Choosing {
	readonly sessionModel: string | undefined;
	readonly resources: WorkerResources;
	readonly problems: SpecProblem[];
	readonly signal: AbortSignal | undefined;
}

async function chooseModels(
	wanted: readonly string[],
	others: readonly string[],
	{ sessionModel, resources, problems, signal }: Choosing,
): Promise<Pick<WorkerSpec, "model" | "exactModel" | "fallbacks" | "thinking">> {
	if (wanted.length === 0 && others.length === 0)
		return { model: sessionModel, exactModel: undefined, fallbacks: [], thinking: undefined };
	const models = await resources.models(signal);
	const fallbacks = namesOfModels(others, models);
	if (wanted.length === 0) {
		const after = without(sessionModel, fallbacks);
		return { model: sessionModel, exactModel: undefined, fallbacks: after, thinking: undefined };
	}
	const { model, thinking, notice } = chooseModel(wanted, models, modelNamed(sessionModel));
	if (notice) {
		const { message, remedy } = notice;
		problems.push({ severity: "warning", part: "model", fields: ["model", "models"], message, remedy });
	}
	const exact = model && `${model.provider}/${model.id}`;
	const named = namesOfModels(wanted, models);
	const later = exact === undefined ? [] : named.slice(named.indexOf(exact) + 1);
	return {
		model: exact,
		exactModel: notice ? undefined : exact,
		fallbacks: without(exact, [...later, ...fallbacks]),
		thinking,
	};
}

/** Each of the names once, except `name`. */
function without(name: string | undefined, names: readonly string[]): string[] {
	return [...new Set(names)].filter((other) => other !== name);
}

/** `provider/id` of those of the named models that exist. */
function namesOfModels(words: readonly string[], models: readonly Model[]): string[] {
	return words.flatMap((word) => {
		const { model } = chooseModel([word], models, undefined);
		return model ? [`${model.provider}/${model.id}`] : [];
	});
}

function modelNamed(text: string | undefined): Model | undefined {
	const slash = text?.indexOf("/") ?? -1;
	return text === undefined || slash === -1 ? undefined : { provider: text.slice(0, slash), id: text.slice(slash + 1) };
}

function specSkills(
	state: StatePlan,
	persona: Persona,
	resources: WorkerResources,
	problems: SpecProblem[],
): readonly string[] {
	const found = new Set(persona.skills);
	for (const name of state.skills) {
		const path = findSkill(name, resources.cwd, resources.skills);
		if (path) found.add(path);
		else {
			problems.push({
				severity: "warning",
				part: "persona",
				fields: ["skills", "extra_skills"],
				message: `The skill ${quoted(name)} was not found; the worker runs without it.`,
				remedy: "Put a folder of that name with a SKILL.md into .pi/skills, or name its path.",
			});
		}
	}
	return [...found];
}

/** The extensions of a state; a missing one is a problem. */
function extensionsOf(
	state: StatePlan,
	{ cwd, extensions }: WorkerResources,
	problems: SpecProblem[],
): readonly string[] {
	return state.extensions.flatMap((written) => {
		const found = findExtension(written, { ...extensions, cwd });
		if (found.kind === "found") return [found.source];
		const { message, remedy } = found.problem;
		problems.push({ severity: "error", part: "handshake", fields: ["extensions"], message, remedy });
		return [];
	});
}
