// Handles name conflicts between this package's commands and another package's. pi then renames all of them (`/workflow:1`, `/workflow:2`),
// so the name without a number is no longer a command.
// Such a text never reaches the model; the user is notified once per session which commands belong to this package.
import type { ExtensionAPI, ExtensionCommandContext, ExtensionContext } from "@earendil-works/pi-coding-agent";
import { say } from "../display/say.ts";
import { isOwnFile } from "../package/own-package.ts";
import type { ChoiceList } from "./command-choice.ts";
import { exitCodes, failWith } from "./exit-code.ts";

/** Reports this package's renamed commands, and catches their bare names when typed. */
export function catchBareCommands(pi: ExtensionAPI): void {
	pi.on("session_start", (_event, ctx) => {
		const renamed = renamedCommands(pi);
		if (renamed.size === 0 || !ctx.hasUI) return;
		const list = [...renamed.values()].map((name) => `/${name}`).join(", ");
		say(ctx, `Another package has commands of the same names. Ours: ${list}.`, "warning");
	});
	pi.on("input", (event, ctx) => {
		const [, typed = ""] = /^\s*\/([^\s:]+)(?=\s|$)/.exec(event.text) ?? [];
		if (typed === "" || event.source === "extension") return undefined;
		const ours = renamedCommands(pi).get(typed);
		if (ours === undefined || pi.getCommands().some(({ name }) => name === typed)) return undefined;
		say(
			ctx,
			`/${typed} is the name of commands of several packages, so pi has renamed them. Ours is /${ours}. Nothing was sent.`,
			"warning",
		);
		failWith(ctx, exitCodes.usage);
		return { action: "handled" as const };
	});
}

/** This package's commands that pi has renamed, by registered name. */
function renamedCommands(pi: ExtensionAPI): ReadonlyMap<string, string> {
	return new Map(
		pi.getCommands().flatMap(({ name, source, sourceInfo }) => {
			const base = /^(.+):\d+$/.exec(name)?.[1];
			if (base === undefined || source !== "extension" || !isOwnFile(sourceInfo.path)) return [];
			return [[base, name] as const];
		}),
	);
}

type Command = Parameters<ExtensionAPI["registerCommand"]>[1];
type Completions = ReturnType<NonNullable<Command["getArgumentCompletions"]>>;
type Complete = (prefix: string) => Completions;

/** A command of this package. */
interface OwnCommand extends Command {
	/** What is listed in the terminal when the command is typed alone; `undefined`: its handler is called. */
	readonly list?: (ctx: ExtensionCommandContext) => Promise<ChoiceList | undefined>;
}

/**
 * Registers the command `name`. An error of its handler after the end of its session is dropped; any other reaches pi, which shows it, in words
 * for a person. An error of its completions means that nothing is offered: pi would exit, in the middle of the user's typing. Complete words get
 * no completions: with an open list, Enter selects an item instead of sending the line.
 */
export function registerOwnCommand(pi: ExtensionAPI, name: string, { list, ...command }: OwnCommand): void {
	const complete = command.getArgumentCompletions;
	pi.registerCommand(name, {
		...command,
		...(complete && { getArgumentCompletions: (prefix: string) => offered(complete, prefix) }),
		async handler(args, ctx) {
			try {
				const words = list && args.trim() === "" && ctx.mode === "tui" ? await wordsOfList(name, list, ctx) : args;
				if (words !== undefined) await command.handler(words, ctx);
			} catch (error) {
				if (hasEnded(ctx)) return;
				failWith(ctx, exitCodes.failed);
				throw (await import("./error-in-words.ts")).errorInWords(error);
			}
		},
	});
}

/** The words that the user takes from the list; `undefined`: none, or they are filled in. */
async function wordsOfList(
	name: string,
	list: NonNullable<OwnCommand["list"]>,
	ctx: ExtensionCommandContext,
): Promise<string | undefined> {
	const listed = await list(ctx);
	if (!listed) return "";
	const { chooseCommand } = await import("./command-choice.ts");
	return chooseCommand(ctx, name, listed);
}

function offered(complete: Complete, prefix: string): Completions {
	const unlessComplete = (items: Awaited<Completions>) => (items?.some(({ value }) => value === prefix) ? null : items);
	try {
		const found = complete(prefix);
		return found instanceof Promise ? found.then(unlessComplete).catch(() => null) : unlessComplete(found);
	} catch {
		return null;
	}
}

/** Completions whose code is loaded for the first line. Later ones are answered at once. */
export function loadedCompletions(load: () => Promise<Complete>): Complete {
	let loaded: Complete | undefined;
	return (prefix) => {
		if (loaded) return loaded(prefix);
		return load().then((complete) => {
			loaded = complete;
			return complete(prefix);
		});
	};
}

/**
 * Whether the session of this context has ended: pi refuses every use of it. pi still passes a prompt that was on its way during a reload to the
 * handlers of the session before.
 */
export function hasEnded(ctx: Pick<ExtensionContext, "cwd">): boolean {
	try {
		Reflect.get(ctx, "cwd");
		return false;
	} catch {
		return true;
	}
}

/** Completions of a command whose first words are these; each may have a description. */
export function completeWords(
	words: readonly (string | readonly [word: string, description: string])[],
	prefix: string,
) {
	const found = words
		.map((word) =>
			typeof word === "string"
				? { value: word, label: word }
				: { value: word[0], label: word[0], description: word[1] },
		)
		.filter(({ value }) => value.startsWith(prefix));
	return found.length === 0 ? null : found;
}
