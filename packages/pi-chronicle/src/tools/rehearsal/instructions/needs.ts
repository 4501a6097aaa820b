// What an instruction tells an agent to use: a shell, tools that write, the user, what earlier states saved. Pure.
// Only a clear order counts, a clause that begins with its verb: a description, a condition and a prohibition are no order; a wording that
// could mean anything else is none. A missed case is cheaper than a false alarm.

export type NeedKind = "shell" | "write" | "worktree" | "user" | "findings" | "tasks";

export interface Need {
	readonly kind: NeedKind;
	/** The words that order it, as written. */
	readonly words: string;
	/** Offset of the words in the text. */
	readonly offset: number;
}

/** Every order in a text, in its order. */
export function needsIn(text: string): Need[] {
	return clausesOf(text).flatMap(({ clause, offset }) => {
		if (excluded.test(clause)) return [];
		return orders.flatMap(({ kind, pattern, unless }) => {
			const found = pattern.exec(clause);
			if (!found || unless?.test(clause) || producing[kind]?.test(text)) return [];
			return [{ kind, words: found[0].trim(), offset: offset + found.index }];
		});
	});
}

interface Clause {
	readonly clause: string;
	readonly offset: number;
}

/** Where one clause ends and the next begins: sentences, list items, and steps that follow each other. */
const boundary = /[.!?;:](?=\s)|\n\s*(?:[-*+]|\d+[.)])\s|\n\s*\n|,?\s(?:and\s)?then\s|,\s(?:and|or)\s/gi;
/** Words before the verb of an order. */
const opening =
	/^[\s>*_#`\-–—]*(?:(?:first(?:ly)?|second(?:ly)?|next|now|finally|lastly|always|also|again|please|and|then|carefully|you\s+(?:must|should|will|have\s+to)|your\s+(?:job|task)\s+is\s+to)\b,?\s*)*/i;

function clausesOf(text: string): Clause[] {
	const starts = [0];
	for (const found of text.matchAll(boundary)) starts.push(found.index + found[0].length);
	return starts.map((start, at) => {
		const raw = text.slice(start, starts[at + 1] ?? text.length);
		const skipped = opening.exec(raw)?.[0].length ?? 0;
		return { clause: raw.slice(skipped), offset: start + skipped };
	});
}

/** Prohibitions, conditions, and work of others or elsewhere. */
const excluded =
	/\b(?:not|never|cannot|can't|don't|without|instead|avoid|refuse|nothing|no\s+one|nobody)\b|^(?:if|when|whenever|unless|where|once|after|before|should|as\s+soon)\b|\bif\s+(?:you\s+can|possible|available|allowed|there\s+is)\b|\bwhere\s+possible\b|\boptional(?:ly)?\b|\b(?:next|later|another|other)\s+(?:state|phase|agent|worker|engineer)\b|\b(?:temporary|scratch|tmp)\b|\/tmp\b/i;

/** Up to three words between a verb and its object. */
const some = String.raw`(?:(?!with\b|for\b|about\b|of\b)[\w'’-]+\s+){0,3}?`;
const runnable = "tests?|test\\s+suite|suite|linters?|build|type\\s?checks?|benchmarks?|commands?|scripts?";
const notes = "plans?|cases?|strategy|strategies|ideas?|reports?|results?|names?|coverage|data|lists?|scenarios?";
const path = "`[^`\\s]*[./][^`\\s]*`";
const code = "code|files?|functions?|class(?:es)?|modules?|readme|changelog|documentation|docs";

interface Order {
	readonly kind: NeedKind;
	readonly pattern: RegExp;
	readonly unless?: RegExp;
}

const orders: readonly Order[] = [
	order(
		"shell",
		`(?:re-?run|run|execute)\\s+(?:${some}(?:${runnable})\\b|\`[a-z][^\`]*\`)`,
		`\\b(?:tests?|builds?)\\s+(?:${notes})\\b|\`(?:workflow_|ask_user)`,
	),
	order("shell", "(?:commit|push)\\s+(?:it|(?:the|your|all|each|every)\\b)", "\\bto\\s+(?:memory|a\\s+plan|one)\\b"),
	order("write", `(?:edit|modify|rewrite)\\s+(?:${some}(?:${code})\\b|${path})`),
	order(
		"write",
		"fix\\s+(?:it|them|(?:the|every|each|all|any|this)\\s+(?:[\\w-]+\\s+){0,2}?(?:bugs?|defects?|errors?|failures?|findings?|issues?|code|tests?)\\b)",
	),
	order("write", "(?:implement|refactor)\\s+(?:it|(?:the|each|every|all|this|what)\\b)"),
	order(
		"write",
		`(?:write|create|add)\\s+(?:an?|the|one|new|missing|failing)\\s+(?:[\\w-]+\\s+){0,2}?(?:tests?|${code})\\b`,
		`\\b(?:tests?|code|files?|class|module|function)\\s+(?:${notes})\\b|\\bfindings?\\b|\\btasks?\\b|\\bsummary\\b`,
	),
	order("write", `(?:update|change)\\s+(?:the\\s+)?(?:${code}|tests?)\\b`, `\\b(?:tests?|code)\\s+(?:${notes})\\b`),
	order(
		"worktree",
		"(?:use|run|call|create|make|add)\\s+(?:`git\\s+worktree\\s+add[^`]*`|(?:a|an|another|one)\\s+(?:[\\w-]+\\s+)?(?:git\\s+)?worktree\\b)",
	),
	order("user", "(?:ask|consult)\\s+(?:the\\s+user|me)\\b"),
	order("user", "(?:confirm|check|agree)\\s+(?:\\w+\\s+){0,3}?with\\s+(?:the\\s+user|me)\\b"),
	order(
		"findings",
		"(?:fix|resolve|address|verify|check|read|judge|merge|work\\s+through|go\\s+through)\\s+(?:[\\w'’-]+\\s+){0,4}?(?:each|every|all|the)\\s+(?:open\\s+|saved\\s+)?findings?\\b",
	),
	order("findings", "for\\s+(?:each|every)\\s+(?:open\\s+|saved\\s+)?finding\\b"),
	order(
		"tasks",
		"(?:do|take|complete|finish|implement|process|start\\s+with|carry\\s+out|work\\s+through|go\\s+through)\\s+(?:(?:each|every|all|the|of)\\s+)*(?:next\\s+|first\\s+|open\\s+|remaining\\s+)?pending\\s+tasks?\\b",
	),
	order("tasks", "for\\s+(?:each|every)\\s+(?:open\\s+)?pending\\s+task\\b"),
];

function order(kind: NeedKind, pattern: string, unless?: string): Order {
	return {
		kind,
		pattern: new RegExp(`^(?:${pattern})`, "i"),
		...(unless === undefined ? {} : { unless: new RegExp(unless, "i") }),
	};
}

/** A text that tells its agent to save such entries may mean its own by every later word. */
const producing: Partial<Record<NeedKind, RegExp>> = {
	findings:
		/\b(?:save|record|report|write|note|store|add|list|collect|keep|produce|return)\b[^.!?]{0,60}\bfindings?\b/i,
	tasks:
		/\b(?:save|record|write|add|create|list|make|split|plan|turn|define|store)\b[^.!?]{0,80}\btasks?\b|\bone\s+pending\s+task\s+(?:each|per|for)\b/i,
};
