// `import`: reads definitions of other tools, writes them as definitions of this project, and lists what has no counterpart.
import { statSync } from "node:fs";
import { resolve } from "node:path";
import { type Diagnostic, errorMessage, formatPath } from "@pi-chronicle/core/definition";
import { attempt } from "../../disk/index.ts";
import { openProject, type Project } from "../../local/index.ts";
import { exitCodes } from "../../pi/index.ts";
import { type Command, type CommandResponse, misuse, refused } from "../../ui/index.ts";
import type { ImportDraft } from "./draft.ts";
import { type Gathered, gatherDrafts, type LeftFile } from "./gather-drafts.ts";
import { type ImportedDraft, type ImportResult, importLines } from "./import-lines.ts";
import { findSources } from "./sources.ts";
import { type VerifiedDraft, verifyDrafts } from "./verify-drafts.ts";
import { writeDraft, writeRefusal } from "./write-drafts.ts";

export const importDefinitions: Command = {
	name: "import",
	takes: "<file or folder>",
	details: `Copies and converts what is data: chronicle templates, workflows, sequences, agents, teams and rule files of other projects; commands, agents and
permissions of Claude Code and similar tools. Each becomes a definition of this project that \`check\` accepts. What has no counterpart is listed
and kept in a comment of the new file. Existing files are not replaced without --force. Workflows of other tools are named with the command that
drafts a definition from them.`,
	exits: "0 everything became a definition, 1 a part of it did not, 2 nothing was written",
	options: `  --to <folder>   the project to write to (default: this one)
  --dry-run       only print what would be written
  --force         replace existing files
`,
	maxNames: 1,
	needs: "nothing",
	runs: "none",
	async perform({ parsed, project, host }) {
		const [name] = parsed.names;
		if (name === undefined) return misuse(`Name a file or a folder: ${host.prefix}import <file or folder>.`);
		const { cwd } = project.place;
		const sources = findSources(resolve(cwd, name));
		if (!sources) return misuse(`No such file or folder: ${resolve(cwd, name)}.`);
		const to = resolve(cwd, parsed.values.to ?? ".");
		if (!attempt(() => statSync(to))?.isDirectory())
			return misuse(`No such folder: ${to}. Name a project's folder with --to.`);
		const target = openProject({ ...project.place, cwd: to });
		const inPi = host.prefix.startsWith("/");
		const plan = inPi ? "/plan" : `${host.prefix}plan`;
		const gathered = gatherDrafts(target, sources, (file) => `${plan} ${quotedPath(formatPath(file, cwd))}`);
		const dryRun = parsed.flags.has("dry-run");
		const verified = await verifyDrafts(target, gathered.drafts);
		const result = placeDraft(target, verified, { dryRun, force: parsed.flags.has("force") });
		const left = [...gathered.refused, ...result.refused];
		const shownOn = host.hasScreen ? "page" : "terminal";
		const rehearse = inPi ? "/rehearse" : `${host.prefix}rehearse`;
		return response(target, { ...gathered, refused: left }, result.imported, { dryRun, shownOn, rehearse });
	},
};

/** Files that a refusal names. */
const maxNamed = 20;

function quotedPath(path: string): string {
	return /\s/.test(path) ? `"${path}"` : path;
}

interface Placed {
	readonly imported: readonly ImportedDraft[];
	readonly refused: readonly LeftFile[];
}

/** Writes the sound drafts. */
function placeDraft(
	{ place: { cwd } }: Project,
	verified: readonly VerifiedDraft[],
	{ dryRun, force }: { readonly dryRun: boolean; readonly force: boolean },
): Placed {
	const imported: ImportedDraft[] = [];
	const left: LeftFile[] = [];
	for (const { draft, diagnostics } of verified) {
		const why = unsound(draft, diagnostics) ?? writeRefusal(cwd, draft, force);
		if (why !== undefined) {
			left.push({ file: draft.from, reason: why });
			continue;
		}
		try {
			if (!dryRun) writeDraft(cwd, draft);
			imported.push({ draft, warnings: diagnostics.map(({ message }) => message) });
		} catch (error) {
			left.push({ file: draft.from, reason: `It cannot be written: ${errorMessage(error)}` });
		}
	}
	return { imported, refused: left };
}

function unsound({ name }: ImportDraft, diagnostics: readonly Diagnostic[]): string | undefined {
	const [error] = diagnostics.filter(({ severity }) => severity === "error");
	return error && `${name}: ${error.message} ${error.remedy}`;
}

function response(
	{ place: { cwd } }: Project,
	gathered: Gathered,
	imported: readonly ImportedDraft[],
	shown: Pick<ImportResult, "dryRun" | "shownOn" | "rehearse">,
): CommandResponse {
	const { refused: left, withoutCounterpart, inPlace, unknown } = gathered;
	const { dryRun } = shown;
	const lines = importLines({ gathered, imported, cwd, ...shown });
	if (imported.length + left.length + withoutCounterpart.length + inPlace.length === 0)
		return refused({
			code: "nothing-to-import",
			message: "Nothing here has a format that can be imported.",
			remedy: `Name a file, or a folder with definitions.${
				unknown.length > 1
					? ` Looked at: ${unknown
							.slice(0, maxNamed)
							.map((file) => formatPath(file, cwd))
							.join(", ")}${unknown.length > maxNamed ? ` and ${unknown.length - maxNamed} more` : ""}.`
					: ""
			}`,
		});
	const isNothingMade = imported.length === 0 && (left.length > 0 || inPlace.length === 0);
	const exitCode = isNothingMade ? exitCodes.usage : left.length === 0 ? exitCodes.done : exitCodes.failed;
	return {
		kind: "done",
		lines,
		data: {
			to: cwd,
			dryRun,
			written: imported.map(({ draft: { files, ...draft }, warnings }) => ({
				...draft,
				files: files.map(({ path }) => path),
				warnings,
			})),
			refused: left,
			...{ withoutCounterpart, inPlace, unknown: unknown.map((file) => formatPath(file, cwd)) },
		},
		exitCode,
		view: { kind: "page", title: "Import" },
	};
}
