// Rewrites a shell command that goes through folders, so that its searches leave closed files out.
// Invariants: only literal commands of the text itself are rewritten, by inserting words; what the text then does is judged again, so a program
// that ignores the words is refused as before.
import { type Command, type CommandNode, type Pipeline, parse, type Statement, type Word } from "unbash";

/** Adds the words that exclude a name or path from the search in `command`; `undefined` if the program is not in the table. */
type Exclude = (glob: string, command: Command) => { readonly at: number; readonly words: string } | undefined;

const quoted = (text: string) => (/^[\w./~-]+$/.test(text) ? text : `'${text}'`);
const lastSegment = (glob: string) => glob.replace(/\/+$/, "").replace(/^.*\//, "");
const afterName =
	(words: (glob: string) => string): Exclude =>
	(glob, { name }) =>
		name && { at: name.end, words: words(glob) };

const textOfWord = (word: { readonly text: string } | undefined) => word?.text ?? "";

/** Words of a search, by its program. */
const exclusions: { readonly [programs: string]: Exclude } = {
	"grep egrep fgrep rgrep zgrep": afterName(
		(glob) => `--exclude=${quoted(lastSegment(glob))} --exclude-dir=${quoted(lastSegment(glob))}`,
	),
	rg: afterName((glob) => `-g ${quoted(`!${lastSegment(glob)}`)}`),
	ag: afterName((glob) => `--ignore ${quoted(lastSegment(glob))}`),
	"fd fdfind": afterName((glob) => `-E ${quoted(lastSegment(glob))}`),
	rsync: afterName((glob) => `--exclude=${quoted(lastSegment(glob))}`),
	// Behind the archive, which a bundle of options such as `czf` takes.
	tar: (glob, { args }) => {
		const last = args.at(-1);
		return last && args.length > 1 ? { at: last.pos, words: `--exclude=${quoted(lastSegment(glob))} ` } : undefined;
	},
	find: (glob, { args, end }) => {
		const first = args.find((word) => /^[-(!\\]/.test(textOfWord(word)) && !/^-(?:[HLP]|O\d)$/.test(textOfWord(word)));
		const test = glob.includes("/")
			? `-not -path ${quoted(`${glob.replace(/\/+$/, "")}*`)}`
			: `-not -path ${quoted(`${glob.startsWith("*") ? "" : "*/"}${glob}*`)}`;
		return first ? { at: first.pos, words: `${test} ` } : { at: args.at(-1)?.end ?? end, words: test };
	},
	git: (glob, { args, end }) => {
		if (textOfWord(args[0]) !== "grep") return undefined;
		const dashes = args.some((word) => textOfWord(word) === "--") ? "" : "-- ";
		return { at: args.at(-1)?.end ?? end, words: `${dashes}':(exclude,glob)**/${lastSegment(glob)}'` };
	},
};

const byProgram = new Map(
	Object.entries(exclusions).flatMap(([names, exclude]) => names.split(" ").map((name) => [name, exclude] as const)),
);

/** The text with a name or path (`.env`, `*.pem`, `/home/me/.ssh/`) excluded from every search in it; `undefined` if it has none. */
export function excludeFrom(text: string, glob: string): string | undefined {
	const inserts = searchesIn(text).flatMap((command) => {
		const insert = byProgram.get(textOfWord(command.name))?.(glob, command);
		return insert ? [insert] : [];
	});
	if (inserts.length === 0) return undefined;
	let result = text;
	for (const { at, words } of inserts.toSorted((a, b) => b.at - a.at)) {
		const isBefore = words.endsWith(" ");
		result = `${result.slice(0, at)}${isBefore ? words : ` ${words}`}${result.slice(at)}`;
	}
	return result;
}

const MAX_TEXT = 4000;

/** The simple commands of a text that are searches by their literal name. */
function searchesIn(text: string): readonly Command[] {
	if (text.length > MAX_TEXT) return [];
	const script = parse(text);
	if (script.errors && script.errors.length > 0) return [];
	const found: Command[] = [];
	const open: (Statement["command"] | CommandNode | Pipeline)[] = script.commands.map(({ command }) => command);
	for (let node = open.pop(); node; node = open.pop()) {
		if (node.type === "AndOr" || node.type === "Pipeline") open.push(...node.commands);
		else if (node.type === "Command" && isSearch(node)) found.push(node);
	}
	return found;
}

function isSearch({ name }: { readonly name?: Word | undefined }): boolean {
	return name !== undefined && name.text === name.value && byProgram.has(name.text);
}
