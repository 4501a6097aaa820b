// Programs that nothing is known of: their words are looked through for places, and for another command that they may run.
// U1 a command among the words is judged as if it were run: what wraps it is not known to run it, nor not to.
import { absolutePaths, touchWord } from "../places.ts";
import { dropsData, findProgram } from "../programs/index.ts";
import { everyAccess } from "../record.ts";
import { isKnown, spellCommand } from "../text.ts";
import type { State } from "./state.ts";
import type { Walk } from "./walk.ts";

/** A program that is not in the table. */
export function recordUnlisted(walk: Walk, name: string, args: readonly string[], state: State): void {
	const text = spellCommand([name, ...args]);
	const asks = args.length === 1 && ["--version", "--help", "-V", "-h", "version", "help"].includes(args[0] ?? "");
	if (!asks && !state.elsewhere) {
		recordOperands(walk, args, state, text);
		recordWithin(walk, args, state);
		walk.record.unknown({ what: "program", text, may: everyAccess });
	}
	walk.record.run({
		program: name,
		args: knownWords(args),
		text,
		effects: dropsData(name, args) ? ["sql-drop"] : [],
		changes: [],
		...(state.elsewhere && { elsewhere: true as const }),
	});
}

/** Programs whose names are hardly anything else, wherever they stand among the words. */
const unmistakable =
	/^(?:\/(?:usr\/)?s?bin\/)?(?:rm|sudo|doas|git|sh|bash|zsh|dash|env|chmod|chown|dd|xargs|shred|mkfs(?:\.\w+)?|psql|mysql|kubectl|terraform|docker|podman)$/;
/** Options whose value is a command line. */
const commandOptions = /^(?:-c|-C|--(?:command|cmd|exec|execute|run|shell-command))$/;

/** A command among the words of another: behind `--`, as the value of an option, or by a name that is hardly anything else. */
export function recordWithin(walk: Walk, args: readonly string[], state: State): void {
	for (const [index, arg] of args.slice(0, 200).entries()) {
		const [, name, attached] = /^(--[\w-]+)=(.*)$/s.exec(arg) ?? [];
		const text =
			name !== undefined && commandOptions.test(name)
				? attached
				: commandOptions.test(arg)
					? args[index + 1]
					: undefined;
		if (text?.includes(" ") && findProgram(/^\s*([\w./-]+)/.exec(text)?.[1] ?? "")) {
			walk.runText(text, state, "", new Set());
			return;
		}
		const words = arg === "--" ? args.slice(index + 1) : unmistakable.test(arg) ? args.slice(index) : [];
		const [word = ""] = words;
		if (words.length === 0 || !findProgram(word.slice(word.lastIndexOf("/") + 1))) continue;
		walk.runWords(words, state, "");
		return;
	}
}

/** Words as a run has them: `null` where one is not known. */
export function knownWords(args: readonly string[]): readonly (string | null)[] {
	return args.map((arg) => (isKnown(arg) ? arg : null));
}

/** Words of a command that is not understood, so far as they look like paths: read, at the least. */
export function recordOperands(walk: Walk, args: readonly string[], state: State, by: string): void {
	if (state.elsewhere) return;
	for (const arg of args) {
		const value = arg.startsWith("-") ? (/^--?[\w-]+=(.+)$/s.exec(arg)?.[1] ?? "") : arg;
		const place = value.startsWith("@") ? value.slice(1) : value;
		if (!isKnown(place) || place.length > 4096 || !looksLikePath(walk, place, state)) continue;
		touchWord(walk.record, "read", place, state.cwd, by);
	}
}

function looksLikePath(walk: Walk, text: string, state: State): boolean {
	if (text === "" || /[\n*]/.test(text) || /^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return false;
	if (
		/^(~|\.{0,2}\/|\.\w)/.test(text) ||
		/^[\w@.-]+(\/[\w@. -]+)+\/?$/.test(text) ||
		/^[\w@-][\w@. -]*\.\w+$/.test(text)
	)
		return true;
	return absolutePaths(text, state.cwd, walk.record)?.some((path) => walk.around.kind(path) !== undefined) ?? false;
}
