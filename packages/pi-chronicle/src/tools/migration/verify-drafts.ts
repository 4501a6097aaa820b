// Verifies drafts before anything is written: checks them like `check`, with a temporary copy of the project's agents and skills.

import { cp, mkdir, realpath, symlink, writeFile } from "node:fs/promises";
import { basename, dirname, join, relative, sep } from "node:path";
import { type Diagnostic, isInside } from "@pi-chronicle/core/definition";
import { inTemporaryFolder } from "../../disk/index.ts";
import { openProject, type Project } from "../../local/index.ts";
import { loadAgentRegistry } from "../../persona/index.ts";
import { checkProject, type ProjectCheck } from "../check/index.ts";
import type { ImportDraft } from "./draft.ts";

export interface VerifiedDraft {
	readonly draft: ImportDraft;
	/** With paths relative to the project. A draft with an error must not be written. */
	readonly diagnostics: readonly Diagnostic[];
}

/** Checks drafts together, for their future project. */
export async function verifyDrafts(
	project: Project,
	drafts: readonly ImportDraft[],
): Promise<readonly VerifiedDraft[]> {
	if (drafts.length === 0) return [];
	return inTemporaryFolder(async (stage) => {
		await copySurroundings(project, stage);
		for (const { path, text } of drafts.flatMap(({ files }) => files)) {
			await mkdir(dirname(join(stage, path)), { recursive: true });
			await writeFile(join(stage, path), text);
		}
		const checked = await checkProject(openProject({ ...project.place, cwd: stage, trust: "trusted" }), []);
		return drafts.map((draft) => ({ draft, diagnostics: diagnosticsOf(draft, checked, stage) }));
	});
}

/** The agents and skills that drafts may name. */
async function copySurroundings({ place }: Project, stage: string): Promise<void> {
	const { cwd, home, agentFolder } = place;
	const { agents } = loadAgentRegistry({ cwd, home, agentFolder, project: "trusted" });
	for (const [index, { origin }] of agents.entries()) {
		if (!isInside(cwd, origin.file)) continue;
		const copy = join(stage, ".pi", "agents", "existing", String(index), basename(origin.file));
		await mkdir(dirname(copy), { recursive: true });
		await cp(origin.file, copy);
	}
	for (const folder of [".pi", ".agents", ".claude"]) {
		const skills = await realpath(join(cwd, folder, "skills")).catch(() => undefined);
		if (skills === undefined) continue;
		await mkdir(join(stage, folder), { recursive: true });
		await symlink(skills, join(stage, folder, "skills"), "junction");
	}
}

function diagnosticsOf(
	{ files }: ImportDraft,
	{ findings, further }: ProjectCheck,
	stage: string,
): readonly Diagnostic[] {
	const own = new Set(files.map(({ path }) => join(stage, ...path.split("/"))));
	const found = findings.filter(({ file }) => own.has(file));
	const listed = [...found.flatMap(({ diagnostics }) => diagnostics), ...further].filter(({ file }) => own.has(file));
	const placed = listed.map((each) => ({ ...each, file: relative(stage, each.file).split(sep).join("/") }));
	const isSound = found.length > 0 && found.every(({ loads }) => loads);
	if (isSound || placed.some(({ severity }) => severity === "error")) return placed;
	const file = files[0]?.path ?? "";
	const message = "The converted file is not recognized as a definition.";
	return [...placed, { file, severity: "error", code: "not-read", message, remedy: "Write the definition by hand." }];
}
