// Reports a project's definitions that are not pi's own files: once per session, when one of this package's commands first reads them, if
// the user was not asked whether to trust the project.
// A project that the user has explicitly trusted, or one that is not read, is not reported.
import { join } from "node:path";
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { folderEntries } from "../../disk/index.ts";
import { say } from "../display/say.ts";
import { definitionsTrusted, trustedByHand } from "./project-trust.ts";

/** Reports the definitions of the project of `ctx`. Only the first call has an effect. */
export type NameDefinitions = (
	ctx: Pick<ExtensionContext, "cwd" | "hasUI" | "mode" | "ui" | "isProjectTrusted">,
) => void;

/** Kinds of definitions, their folders, and their file extension; without one, each definition is a folder. */
const kinds: readonly (readonly [string, readonly string[], RegExp | undefined])[] = [
	["workflows", [".pi/workflows"], undefined],
	["templates", [".pi/chronicle/workflows"], /\.(json|ya?ml)$/i],
	["agents", [".pi/agents", ".claude/agents", "agents"], /\.md$/i],
	["scenarios", [".pi/rehearsals/workflows", ".pi/rehearsals/chronicles"], /\.(json|ya?ml)$/i],
	["sequences", [".pi/sequences"], /\.ya?ml$/i],
];
const maxNames = 10;

/** Opens the notice of one session. */
export function openDefinitionNotice(): NameDefinitions {
	let done = false;
	return (ctx) => {
		if (done || !definitionsTrusted(ctx)) return;
		done = true;
		if (trustedByHand(ctx.cwd)) return;
		const found = definitionsOf(ctx.cwd);
		if (found.length === 0) return;
		const text = `This project contains ${found.join("; ")}. pi trusts it without having asked you; /trust saves a decision.`;
		// In print mode, standard output is for the answer.
		say(ctx, text, ctx.hasUI ? "info" : "error");
	};
}

/** One phrase per kind of definition in the project. */
function definitionsOf(cwd: string): readonly string[] {
	return kinds.flatMap(([kind, folders, ending]) => {
		const names = [...new Set(folders.flatMap((folder) => definitionNames(join(cwd, folder), ending)))].sort();
		if (names.length === 0) return [];
		const more = names.length > maxNames ? ` and ${names.length - maxNames} more` : "";
		return [`${kind} ${names.slice(0, maxNames).join(", ")}${more}`];
	});
}

function definitionNames(folder: string, ending: RegExp | undefined): readonly string[] {
	return folderEntries(folder).flatMap((entry) => {
		if (entry.name.startsWith(".") || /^teams\.ya?ml$/.test(entry.name)) return [];
		if (ending === undefined) return entry.isDirectory() ? [entry.name] : [];
		return ending.test(entry.name) ? [entry.name.replace(ending, "")] : [];
	});
}
