// What a project brings that is no file of pi's own: named once a session, when one of this package's commands first reads it, where nobody
// was asked whether the project is trusted. D1 a project that the user has trusted by hand, and one that is not read, is not spoken of.
import { type Dirent, readdirSync } from "node:fs";
import { join } from "node:path";
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { definitionsTrusted, trustedByHand } from "./project-trust.ts";
import { say } from "./say.ts";

/** Reports the definitions of the project of `ctx`; only the first call does. */
export type NameDefinitions = (
	ctx: Pick<ExtensionContext, "cwd" | "hasUI" | "mode" | "ui" | "isProjectTrusted">,
) => void;

/** Kinds of definitions, the folders that hold them, and the ending of their files; a definition without one is a folder. */
const kinds: readonly (readonly [string, readonly string[], RegExp | undefined])[] = [
	["workflows", [".pi/workflows"], undefined],
	["templates", [".pi/chronicle/workflows"], /\.(json|ya?ml)$/i],
	["agents", [".pi/agents", ".claude/agents", "agents"], /\.md$/i],
	["scenarios", [".pi/rehearsals/workflows", ".pi/rehearsals/chronicles"], /\.(json|ya?ml)$/i],
	["sequences", [".pi/sequences"], /\.ya?ml$/i],
];
const mostNames = 10;

/** Opens the notice of one session. */
export function openDefinitionNotice(): NameDefinitions {
	let done = false;
	return (ctx) => {
		if (done || !definitionsTrusted(ctx)) return;
		done = true;
		if (trustedByHand(ctx.cwd)) return;
		const found = definitionsOf(ctx.cwd);
		if (found.length === 0) return;
		const text = `This project brings ${found.join("; ")}. pi trusts it without having asked you; /trust saves a decision.`;
		// Standard output in print mode is for the answer.
		say(ctx, text, ctx.hasUI ? "info" : "error");
	};
}

/** One text for each kind that the project has. */
function definitionsOf(cwd: string): readonly string[] {
	return kinds.flatMap(([kind, folders, ending]) => {
		const names = [...new Set(folders.flatMap((folder) => namesIn(join(cwd, folder), ending)))].sort();
		if (names.length === 0) return [];
		const more = names.length > mostNames ? ` and ${names.length - mostNames} more` : "";
		return [`${kind} ${names.slice(0, mostNames).join(", ")}${more}`];
	});
}

function namesIn(folder: string, ending: RegExp | undefined): readonly string[] {
	return entriesOf(folder).flatMap((entry) => {
		if (entry.name.startsWith(".") || /^teams\.ya?ml$/.test(entry.name)) return [];
		if (ending === undefined) return entry.isDirectory() ? [entry.name] : [];
		return ending.test(entry.name) ? [entry.name.replace(ending, "")] : [];
	});
}

function entriesOf(folder: string): readonly Dirent[] {
	try {
		return readdirSync(folder, { withFileTypes: true });
	} catch {
		return [];
	}
}
