// Resolves a persona's `model` to an available model: by id, `provider/id`, aliases such as `opus`, or parts of names.
// Pure. The same input gives the same model; a model without credentials is never chosen; a fallback always gives a notice.
import { didYouMean, type Problem, propertiesOf, quoted } from "@pi-chronicle/core/definition";

export interface Model {
	readonly provider: string;
	readonly id: string;
	readonly name?: string | undefined;
	/** As pi lists it. */
	readonly uncounted?: "usage" | "price";
	readonly isDefault?: true;
}

/** pi's thinking levels, weakest first. */
export const THINKING_LEVELS = ["off", "minimal", "low", "medium", "high", "xhigh", "max"] as const;
export type ThinkingLevel = (typeof THINKING_LEVELS)[number];

export interface ModelChoice {
	/** `undefined`: pi chooses according to its settings. */
	readonly model: Model | undefined;
	/** From a suffix such as `sonnet:high`. */
	readonly thinking: ThinkingLevel | undefined;
	/** Why the model differs from the requested one. */
	readonly notice: Problem | undefined;
}

/** Words for models that definitions can name without knowing which models a user has. */
export const modelRoles = ["cheap", "strong"] as const;
type ModelRole = (typeof modelRoles)[number];

/** The models of each role, as the user names them; none: the session's model. */
export type ModelRoles = Readonly<Record<ModelRole, readonly string[]>>;

/** The models that a word of a definition stands for, as the user names them; none: the session's model. */
export function namedModels(word: string, roles: ModelRoles | undefined): readonly string[] {
	return roles?.[word.trim().toLowerCase() as ModelRole] ?? [word];
}

/** Reads the setting `models`. */
export function readModelRoles(written: unknown): ModelRoles {
	const { cheap, strong } = propertiesOf(written);
	return { cheap: readModelNames(cheap), strong: readModelNames(strong) };
}

/** A name, or a list of names, of models. */
export function readModelNames(written: unknown): readonly string[] {
	const names = Array.isArray(written) ? written : [written];
	return names.filter((name): name is string => typeof name === "string" && name.trim() !== "");
}

/** Words that select the session's model, without a notice. */
const inherited = new Set(["", "inherit", "default", "session", "auto"]);

/**
 * Chooses the first of `wanted` that resolves, else `fallback` with a notice. `models` are the currently usable models. If several
 * providers offer a match, the provider of `fallback` is preferred.
 */
export function chooseModel(
	wanted: readonly string[],
	models: readonly Model[],
	fallback: Model | undefined,
): ModelChoice {
	const asked = wanted.map((word) => word.trim());
	for (const word of asked) {
		if (inherited.has(word.toLowerCase())) return { model: fallback, thinking: undefined, notice: undefined };
		const { base, thinking } = splitThinking(word);
		const model = findModel(word, models, fallback) ?? findModel(base, models, fallback);
		if (model) return { model, thinking: model.id === word ? undefined : thinking, notice: undefined };
	}
	const first = asked[0];
	if (first === undefined) return { model: fallback, thinking: undefined, notice: undefined };
	const { base, thinking } = splitThinking(first);
	const use = fallback
		? `${quoted(`${fallback.provider}/${fallback.id}`)} is used instead`
		: "pi's default model is used instead";
	return {
		model: fallback,
		thinking,
		notice: {
			code: "model-not-available",
			message: `The model ${quoted(first)} is not available, so ${use}.${didYouMean(
				base,
				models.map(({ id }) => id),
			)}`,
			remedy: "Name a model that `pi --list-models` shows, or omit the model.",
		},
	};
}

function findModel(word: string, models: readonly Model[], preferred: Model | undefined): Model | undefined {
	const lower = word.toLowerCase();
	if (lower === "") return undefined;
	const exact = models.filter(
		({ provider, id }) => `${provider}/${id}`.toLowerCase() === lower || id.toLowerCase() === lower,
	);
	const named = exact.find(({ provider, id }) => `${provider}/${id}`.toLowerCase() === lower);
	if (named) return named;
	if (exact.length > 0) return best(exact, preferred);
	const slash = lower.indexOf("/");
	const scope = slash === -1 ? [] : models.filter(({ provider }) => provider.toLowerCase() === lower.slice(0, slash));
	const [pool, part] = scope.length > 0 ? [scope, lower.slice(slash + 1)] : [models, lower];
	const matches = pool.filter(({ id, name }) => containsPart(id, part) || containsPart(name ?? "", part));
	return best(matches, preferred);
}

/** Whether `text` contains `part` at the start of a word: `claude-opus-5` contains `opus`, `gpt-4o3x` does not contain `o3`. */
function containsPart(text: string, part: string): boolean {
	const lower = text.toLowerCase();
	for (let at = lower.indexOf(part); at !== -1; at = lower.indexOf(part, at + 1)) {
		if (at === 0 || !/[a-z0-9]/.test(lower[at - 1] ?? "") || !/[a-z0-9]/.test(part[0] ?? "")) return true;
	}
	return false;
}

/** The best match: the preferred provider before others, undated ids before dated ones, then the highest version. */
function best(models: readonly Model[], preferred: Model | undefined): Model | undefined {
	const rank = (model: Model): number =>
		(model.provider === preferred?.provider ? 0 : 2) + (/-\d{8}$/.test(model.id) ? 1 : 0);
	return [...models].sort(
		(a, b) =>
			rank(a) - rank(b) ||
			// `opus-5-5` before `opus-5-10`.
			b.id.localeCompare(a.id, "en", { numeric: true }) ||
			a.provider.localeCompare(b.provider, "en"),
	)[0];
}

function splitThinking(word: string): { readonly base: string; readonly thinking: ThinkingLevel | undefined } {
	const colon = word.lastIndexOf(":");
	const level = colon === -1 ? undefined : readThinking(word.slice(colon + 1));
	return level === undefined ? { base: word, thinking: undefined } : { base: word.slice(0, colon), thinking: level };
}

/** Parses a thinking level; `undefined` for an unknown word. */
export function readThinking(word: string): ThinkingLevel | undefined {
	const lower = word.trim().toLowerCase();
	const known = lower === "none" || lower === "false" ? "off" : lower === "ultra" ? "max" : lower;
	return THINKING_LEVELS.find((level) => level === known);
}
