// The words and formats of all messages: one word for one thing, one format for money, time and shares, nothing internal. What a person
// writes in a definition (`max_visits: 3`) and what a program prints is not ours.

interface Rule {
	/** What may not stand in a message. */
	readonly never: RegExp;
	/** What stands there instead. */
	readonly instead: string;
}

/** One word for one thing, with the words that other products use for it. */
const words: readonly Rule[] = [
	{ never: /\b(?:ceilings?|budgets?|caps?|thresholds?)\b/i, instead: "limit" },
	{ never: /(?<!home )(?<!current )\bdirector(?:y|ies)\b/i, instead: "folder" },
	{ never: /\b(?:[Pp]ersons?|[Oo]perators?|humans?(?![ _]intervention))\b/, instead: "user" },
	{ never: /\b(?:LLM|language model|assistant)\b/i, instead: "model or agent" },
	{ never: /\b(?:subagents?|sub-runs?|subruns?)\b/i, instead: "child" },
	{ never: /(?<!-)\b(?:repo|config|dir|info|param)s?\b/i, instead: "the whole word" },
	{ never: /\b(?:terminate[sd]?|halt(?:s|ed)?)\b/i, instead: "stop or end" },
	{ never: /\b(?:decline[sd]?|den(?:y|ies|ied) the)\b/i, instead: "reject or refuse" },
	{ never: /\blaunch(?:es|ed|ing)?\b/i, instead: "start" },
	{ never: /\b(?:illegal|please|sorry|oops)\b/i, instead: "what is so, and what helps" },
	{ never: /\bcan'?t\b|\bcan not\b|\bwon't\b/i, instead: "cannot, does not" },
];

/** One format for each kind of figure (`core/definition/figures.ts`); a figure is digits, or a placeholder in the source. */
const formats: readonly Rule[] = [
	{
		never:
			/[\d}] ?(?:ms|secs?|min|mins)(?![\w-])|[\d}] s(?![\w-])|[\d}] h(?![\w-])|[\d}] (?:seconds?|minutes?|hours?)\b/,
		instead: "42s, 4m10s, 2h05m",
	},
	{ never: /[\d}]%|\bper ?cent\b/i, instead: "81 %" },
	{
		never:
			/\$\d+\.\d(?!\d)|\$[1-9]\d*\.\d{3,}|\$0\.[1-9]\d{2,}|\$0\.0[1-9]\d+|(?<![`-])\b\d+(?:\.\d+)? ?(?:USD|dollars?|cents?)\b/,
		instead: "$0.42",
	},
];

/** What no message shows: errors of the runtime and the system as they come, internal ids. */
const internals: readonly Rule[] = [
	{
		never:
			/\bE(?:NOENT|ACCES|PERM|EXIST|ISDIR|NOTDIR|NOSPC|ROFS|MFILE|LOOP|NAMETOOLONG|BUSY|NOTEMPTY|XDEV|DQUOT|CONNREFUSED|CONNRESET|PIPE|ADDRINUSE|TIMEDOUT)\b|\berrno\b|\bsyscall\b/,
		instead: "what the error means",
	},
	{
		never: /\(\{code\}\)|\{(?:error|err|e)\}/,
		instead: "what the error means (`errorMessage`, `systemWords`)",
	},
	{
		never:
			/Cannot read propert|is not a function|is not iterable|Unexpected token|\[object Object\]|\bNaN\b|(?:Type|Reference|Range)Error|^\s+at .+:\d+:\d+\)?$/m,
		instead: "what happened",
	},
	{
		never: /\bwf-[0-9a-f]{4,}|\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b|\b[0-9a-f]{32,}\b/,
		instead: "a name, or the first 8 characters of an id",
	},
];

/** What is wrong in a text, as lines for a test's output. A placeholder of a template stands in braces. */
export function faultsOf(text: string): string[] {
	const shown = text.replace(/\{[\w.]*\}/g, "{}");
	const find = (where: string, { never, instead }: Rule): string[] => {
		const found = never.exec(where);
		return found ? [`"${found[0]}", say: ${instead}`] : [];
	};
	return [
		...[...words, ...formats].flatMap((rule) => find(shown, rule)),
		...internals.flatMap((rule) => find(text, rule)),
	];
}
