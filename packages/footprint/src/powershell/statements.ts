// Reads PowerShell and cmd text as statements of words: quoting, separators, redirections and blocks. It evaluates no expressions.
// A word that cannot be evaluated contains the unknown value; blocks and subexpressions are read as statements too.
import { UNKNOWN_VALUE } from "../text.ts";

/** One command with its words and the files of its output. */
export interface Statement {
	readonly words: readonly string[];
	readonly outputs: readonly { readonly target: string; readonly appends: boolean }[];
	/** Its input comes from the statement before it. */
	readonly piped: boolean;
	/** An expression runs no command, unless it calls a method. */
	readonly isExpression: boolean;
	readonly source: string;
}

export type Dialect = "powershell" | "cmd";

/** The pieces of a text. */
const piece =
	/(?<blank>(?:[ \t,]|[`^]\r?\n|#[^\n]*)+)|@(?<mark>['"])\r?\n(?<here>[\s\S]*?)(?:\n\k<mark>@|$)|'(?<single>(?:[^']|'')*)'?|"(?<double>(?:[^"`]|`[\s\S]|"")*)"?|(?<redirect>[\d*]?>>?(?:&\d)?)|(?<end>[;\n\r|&]+)|(?<open>[$@]?[({])|(?<close>[)}])|(?<variable>\$\{?(?:env:)?[\w?]+\}?|%[\w()]+%|%%?[a-z]\b)(?<member>(?:\.\w+|\[[^\]\n]{0,100}\])*)|[`^](?<escaped>[\s\S]?)|(?<plain>[^\s;|,&(){}'"`^$%@>]+|[\s\S])/giy;
const assigns = /^\s*\+?=(?!=)\s*|^\s+in\b/i;

const MAX_STATEMENTS = 2000;
const MAX_DEPTH = 12;

/** A statement while it is read. */
interface StatementDraft {
	words: string[];
	/** The word that is read. */
	word: string | undefined;
	outputs: { target: string; appends: boolean }[];
	/** The next word is the target of a redirection. */
	redirect: ">" | ">>" | undefined;
	/** The variable that gets its value. */
	variable: string | undefined;
	isLoop: boolean;
	isExpression: boolean | undefined;
	/** After the call operator, the first word is a command. */
	isCalled: boolean;
	piped: boolean;
	start: number;
}

function openDraft(start: number, more: Partial<StatementDraft> = {}): StatementDraft {
	const nothing = { word: undefined, redirect: undefined, variable: undefined, isExpression: undefined };
	return { words: [], outputs: [], ...nothing, isLoop: false, isCalled: false, piped: false, start, ...more };
}

/**
 * Reads text into statements, those of its blocks before the statement that holds them; `undefined` if it is too long or nested too deeply.
 * `automatic`: the value of a variable that the text does not assign, by its name in lower case.
 */
export function readStatements(
	text: string,
	automatic: (name: string) => string | undefined,
): readonly Statement[] | undefined {
	const reader = new Reader(text, automatic);
	return reader.read() ? reader.statements : undefined;
}

class Reader {
	readonly statements: Statement[] = [];
	private readonly text: string;
	private readonly automatic: (name: string) => string | undefined;
	private readonly variables = new Map<string, string>();
	/** The open statements, the innermost last. */
	private readonly open: StatementDraft[] = [openDraft(0)];

	constructor(text: string, automatic: (name: string) => string | undefined) {
		this.text = text;
		this.automatic = automatic;
	}

	/** False if a bound was reached. */
	read(): boolean {
		const pieces = new RegExp(piece);
		for (let found = pieces.exec(this.text); found; found = pieces.exec(this.text)) {
			const skipped = this.take(found.groups ?? {}, found.index, pieces.lastIndex);
			pieces.lastIndex += skipped;
			if (this.statements.length > MAX_STATEMENTS || this.open.length > MAX_DEPTH) return false;
		}
		while (this.open.length > 1) this.close(this.text.length);
		this.finish(this.text.length);
		return true;
	}

	private get draft(): StatementDraft {
		return this.open.at(-1) ?? openDraft(this.text.length);
	}

	/** Reads one piece. Returns how much of what follows it belongs to it. */
	private take(found: Readonly<Record<string, string | undefined>>, at: number, end: number): number {
		const { blank, here, single, double, redirect, end: ends, open, close, variable, member, escaped, plain } = found;
		if (blank !== undefined) this.endWord();
		else if (redirect !== undefined) this.redirectTo(redirect);
		else if (ends !== undefined) this.separate(ends, at, end);
		else if (open !== undefined) this.openBlock(end);
		else if (close !== undefined) this.close(at);
		else if (variable !== undefined) return this.takeVariable(variable, member ?? "", end);
		else if (double !== undefined) this.add(this.expanded(double), true);
		else if (here !== undefined) this.add(here.replace(/\$[\w:{(]\S*/g, UNKNOWN_VALUE), true);
		else if (single !== undefined) this.add(single.replaceAll("''", "'"), true);
		else if (escaped !== undefined) this.add(escaped, false);
		else if (plain !== undefined) this.add(plain, /^(?:[\d[!+@]|-[^A-Za-z])/.test(plain));
		return 0;
	}

	/** Adds text to the current word; `isValue`: as the first of a statement, it begins an expression. */
	private add(text: string, isValue: boolean): void {
		const { draft } = this;
		draft.isExpression ??= isValue && !draft.isCalled;
		draft.word = (draft.word ?? "") + text;
	}

	private takeVariable(written: string, member: string, end: number): number {
		const name = written.replace(/[${}%]/g, "").toLowerCase();
		const { draft } = this;
		const assigned =
			draft.isExpression === undefined && draft.word === undefined
				? assigns.exec(this.text.slice(end, end + 40))
				: null;
		if (assigned && member === "") {
			draft.variable = name;
			draft.isLoop = /in$/i.test(assigned[0]);
			draft.start = end + assigned[0].length;
			return assigned[0].length;
		}
		const value = this.valueOf(name);
		// `$name.txt` is a file name; `$x.Property` and `$x[0]` are unknown.
		const isFile = member === "" || /^\.(txt|json|js|ts|md|log|bak)\b/.test(member);
		this.add(isFile ? value + member : UNKNOWN_VALUE, true);
		return 0;
	}

	private valueOf(name: string): string {
		return this.variables.get(name) ?? this.automatic(name) ?? UNKNOWN_VALUE;
	}

	/** The text of a double-quoted string; commands in it are statements of their own. */
	private expanded(text: string): string {
		for (const part of text.split("$(").slice(1)) {
			const [inner = ""] = part.split(")");
			this.statements.push(...(readStatements(inner, (name) => this.valueOf(name)) ?? []));
		}
		return text
			.replace(/\$\([^)]*\)?/g, UNKNOWN_VALUE)
			.replace(/\$\{?((?:env:)?\w+)\}?|%(\w+)%/gi, (_all, name?: string, other?: string) =>
				this.valueOf((name ?? other ?? "").toLowerCase()),
			)
			.replace(/`([\s\S])|"(")/g, "$1$2");
	}

	private endWord(): void {
		const { draft } = this;
		if (draft.word === undefined) return;
		if (draft.redirect) draft.outputs.push({ target: draft.word, appends: draft.redirect === ">>" });
		else draft.words.push(draft.word);
		draft.word = undefined;
		draft.redirect = undefined;
	}

	private redirectTo(sign: string): void {
		this.endWord();
		this.draft.isExpression ??= true;
		if (!sign.includes("&")) this.draft.redirect = sign.includes(">>") ? ">>" : ">";
	}

	private separate(sign: string, at: number, end: number): void {
		this.finish(at);
		this.open[this.open.length - 1] = openDraft(end, { piped: /^\|\s*$/.test(sign), isCalled: sign.endsWith("&") });
	}

	private openBlock(end: number): void {
		this.add(UNKNOWN_VALUE, true);
		this.open.push(openDraft(end));
	}

	private close(at: number): void {
		this.finish(at);
		if (this.open.length > 1) this.open.pop();
		else this.open[0] = openDraft(at + 1);
	}

	private finish(end: number): void {
		this.endWord();
		const { words, outputs, variable, isLoop, isExpression = false, piped, start } = this.draft;
		const [, name, value = ""] = /^set (\w+)=(.*)$/i.exec(words.join(" ")) ?? [];
		if (name !== undefined) this.variables.set(name.toLowerCase(), value);
		if (variable !== undefined) {
			// A value, unless it is a command's output or a loop takes several.
			const [only = UNKNOWN_VALUE] = words.length === 1 && isExpression && !isLoop ? words : [];
			this.variables.set(variable, only);
		}
		if (words.length + outputs.length === 0) return;
		this.statements.push({ words, outputs, piped, isExpression, source: this.text.slice(start, end) });
	}
}
