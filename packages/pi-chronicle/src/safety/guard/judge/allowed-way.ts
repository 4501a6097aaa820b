// The way to the same end that the rules allow, for a command that they stop.
// Invariant: a way is named only if judging it has shown that it passes.
import { type CommandRun, type Effect, spell } from "@pi-chronicle/footprint";

type Words = readonly string[];

/** Replaces options; each is a pattern for a whole word. */
const replacing =
	(pattern: RegExp, by: string) =>
	(words: Words): Words =>
		words.map((word) => word.replace(pattern, by)).filter((word) => word !== "");

const operandsOf = (words: Words) => words.slice(1).filter((word) => !word.startsWith("-"));
const adding =
	(...more: string[]) =>
	(words: Words): Words => [...words, ...more];

/** What else could be run, by the effect that is stopped: the mildest first. */
const ways: { readonly [E in Effect]?: readonly ((words: Words) => Words)[] } = {
	"recursive-delete": [(words) => ["git", "rm", "-r", ...operandsOf(words)]],
	"delete-found": [replacing(/^-delete$/, "-print")],
	"git-force-push": [
		(words) => replacing(/^(-f|--force)$/, "--force-with-lease")(replacing(/^\+(?=.)/, "")(words)),
		(words) => [...replacing(/^\+(?=.)/, "")(words), "--force-with-lease"],
	],
	"git-force-push-with-lease": [replacing(/^(-f|--force\S*)$/, "")],
	"git-reset-hard": [replacing(/^--hard$/, "--keep"), () => ["git", "stash"], replacing(/^--hard$/, "--soft")],
	"git-clean": [(words) => ["git", "clean", "-n", ...words.slice(2).filter((word) => /^-[dxX]+$/.test(word))]],
	"git-discard-changes": [() => ["git", "stash"]],
	"git-branch-force-delete": [replacing(/^-D$/, "-d")],
	"git-stash-clear": [() => ["git", "stash", "list"]],
	"open-permissions": [replacing(/^(?:0?777|0?666|a\+\S+|o\+\S+|ugo\+\S+)$/, "u+rwX")],
	publish: [adding("--dry-run")],
	deploy: [adding("--dry-run")],
	"delete-infrastructure": [adding("--dry-run=client"), adding("--dry-run")],
};

const MAX_WORDS = 40;
const MAX_TRIED = 4;

/**
 * A command that could replace one of `runs` and that passes, with what it replaces; `undefined` if none is known. `passes` judges a command's
 * text.
 */
export function allowedWay(
	runs: readonly CommandRun[],
	passes: (command: string) => boolean,
): { readonly instead: string; readonly of: string } | undefined {
	let left = MAX_TRIED;
	for (const { program, args, effects, text } of runs) {
		const known = args.filter((arg) => arg !== null);
		if (program === null || known.length < args.length || args.length > MAX_WORDS) continue;
		for (const way of effects.flatMap((effect) => ways[effect] ?? [])) {
			if (left-- === 0) return undefined;
			const instead = way([program, ...known])
				.map(spell)
				.join(" ");
			if (instead !== text && passes(instead)) return { instead, of: text };
		}
	}
	return undefined;
}
