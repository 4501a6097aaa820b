// The changes of every visit: files with their lines, folded, up to a size limit. The patches come from the workspace that kept the files.
// The report lists everything that it omits, with its location; the contents of files with secret names are never shown.

import { counted, errorMessage, pathOnLine } from "@pi-chronicle/core/definition";
import type { Visit } from "@pi-chronicle/core/history";
import type { Workspace } from "@pi-chronicle/core/ports";
import {
	type FileChange,
	isSecretFile,
	measuredTotals,
	type PatchFile,
	type PatchLine,
	readPatch,
} from "@pi-chronicle/core/snapshot";
import { isCutPatch } from "../../local/index.ts";
import type { Redact } from "../../safety/index.ts";
import type { Html, HtmlContent, Markup } from "./markup.ts";
import { addOnce, type ReportPage } from "./page.ts";
import type { ReportModel } from "./report-model.ts";
import { listedVisits } from "./visit-list.ts";

/** Maximum bytes of patches in a report, and for one visit. */
const allBytes = 1_500_000;
const visitBytes = 300_000;
const fileLines = 500;
const lineLength = 400;
const maxFiles = 200;
/** Maximum number of visits with changes to show. */
const maxVisits = 150;

export interface VisitPatch {
	readonly files: readonly PatchFile[];
	/** Of the patch that they were read from. */
	readonly bytes: number;
	readonly cut: boolean;
	readonly failed: string | undefined;
}

/** Gets the patches of all visits with changed files from the workspace, up to the size limit. Never rejects. */
export async function collectPatches(
	report: ReportModel,
	workspace: Pick<Workspace, "patch"> | undefined,
	redact: Redact,
): Promise<ReadonlyMap<number, VisitPatch>> {
	const patches = new Map<number, VisitPatch>();
	if (!workspace) return patches;
	let left = allBytes;
	for (const visit of changedVisits(report)) {
		const patch = await visitPatch(workspace, visit, redact, Math.min(visitBytes, left));
		if (!patch) continue;
		left -= patch.bytes;
		patches.set(visit.number, patch);
	}
	return patches;
}

/** The patch of one visit; `undefined` if it changed nothing, or its files were not compared. Never rejects. `most`: bytes that it may have. */
export async function visitPatch(
	workspace: Pick<Workspace, "patch">,
	{ files: { from, to } }: Visit,
	redact: Redact,
	most = visitBytes,
): Promise<VisitPatch | undefined> {
	if (from === undefined || to === undefined || from === to) return undefined;
	const none = { files: [], bytes: 0, cut: false, failed: undefined };
	if (most < 2000) return { ...none, cut: true };
	try {
		const patch = await workspace.patch(from, to, most);
		if (!patch.ok) return { ...none, failed: patch.failure.message };
		const bytes = Buffer.byteLength(patch.value);
		return { ...none, bytes, files: readPatch(patch.value, redact), cut: isCutPatch(patch.value, most) };
	} catch (error) {
		return { ...none, failed: errorMessage(error) };
	}
}

/** The listed visits that changed files; the newest ones if there are many. */
function changedVisits({ visits }: ReportModel): readonly Visit[] {
	const { first, last } = listedVisits(visits);
	return [...first, ...last].filter(({ files }) => files.changes.length + files.more > 0).slice(-maxVisits);
}

/** The changed files of one visit, with their lines as far as they were read. */
export function drawVisitChanges(page: ReportPage, { number, files }: Visit, patch: VisitPatch | undefined): Markup {
	const { html, leftOut } = page;
	const { changes, more } = files;
	const { files: count, added, removed } = measuredTotals(files);
	const listed = changes.slice(0, maxFiles);
	const beyond = changes.length - listed.length + more;
	if (beyond > 0) leftOut.push(`${counted(beyond, "changed file")} of visit ${number}.`);
	if (patch?.cut) leftOut.push(`Some lines of visit ${number}; \`diff ${number}\` shows them.`);
	const note =
		patch?.failed !== undefined
			? html`<p class="dim">The lines cannot be shown: ${patch.failed}</p>`
			: patch?.cut && html`<p class="dim">Some lines are not shown.</p>`;
	const drawn = new Map(patch?.files.map((file) => [file.path, file]));
	return html`<p class="sum">${counted(count, "file")}, <span class="plus">+${added}</span> <span class="minus">−${removed}</span></p>${note || undefined}${listed.map((change) => drawChange(page, change, findFile(drawn, change)))}${beyond > 0 ? html`<p class="dim">… and ${beyond} more.</p>` : undefined}`;
}

/** Paths in the patch are relative to the root of the repository, those of changes to the run's folder. */
function findFile(drawn: ReadonlyMap<string, PatchFile>, { path }: FileChange): PatchFile | undefined {
	const same = drawn.get(path);
	if (same) return same;
	const below = path.replace(/^(?:\.\.\/)+/, "");
	for (const [name, file] of drawn) if (name.endsWith(`/${below}`) || name === below) return file;
	return undefined;
}

const changeWords = { A: "added", M: "modified", D: "deleted", R: "renamed" } as const;

function drawChange(page: ReportPage, change: FileChange, file: PatchFile | undefined): Markup {
	const { html } = page;
	const body = drawBody(page, change.path, file);
	return body === undefined
		? drawFileName(html, change)
		: html`<details class="file"><summary>${fileName(html, change)}</summary>${body}</details>`;
}

/** A changed file with its counts, on a line of its own. */
export function drawFileName(html: Html, change: FileChange): Markup {
	return html`<p class="file">${fileName(html, change)}</p>`;
}

function fileName(html: Html, { path, from, added, removed, change }: FileChange): Markup {
	const lines =
		added === undefined
			? html`<span class="dim">no lines</span>`
			: html`<span class="plus">+${added}</span> <span class="minus">−${removed ?? 0}</span>`;
	return html`<span class="letter ${change}" role="img" aria-label="${changeWords[change]}">${change}</span> <span class="path" dir="auto">${from === undefined ? "" : `${pathOnLine(from)} → `}${pathOnLine(path)}</span> <span class="counts">${lines}</span>`;
}

function drawBody({ html, leftOut }: ReportPage, path: string, file: PatchFile | undefined): HtmlContent {
	if (!file || (file.hunks.length === 0 && !file.binary)) return undefined;
	if (isSecretFile(path)) {
		addOnce(leftOut, "Contents of files whose names indicate secrets.");
		return html`<p class="dim lines-note">The name indicates secrets, so the lines are not shown.</p>`;
	}
	if (file.hunks.length === 0) return html`<p class="dim lines-note">Not a text file, or too large to keep.</p>`;
	let left = fileLines;
	const hunks: Markup[] = [];
	for (const hunk of file.hunks) {
		if (left <= 0) break;
		const shown = hunk.lines.slice(0, left);
		hunks.push(drawHunk(html, hunk.head, shown));
		left -= hunk.lines.length;
	}
	const all = file.hunks.reduce((sum, { lines }) => sum + lines.length, 0);
	if (all > fileLines) addOnce(leftOut, `Lines beyond ${fileLines} per file.`);
	const more = all > fileLines ? html`<p class="dim lines-note">… and ${all - fileLines} more lines.</p>` : undefined;
	return html`<div class="hunks" tabindex="0" role="group" aria-label="Lines of ${pathOnLine(path)}">${hunks}</div>${more}`;
}

const lineKinds = { " ": "same", "+": "add", "-": "del", "\\": "remark" } as const;

function drawHunk(html: Html, head: string, lines: readonly PatchLine[]): Markup {
	const shown = lines.map(({ sign, text, number }) => {
		const code = text.length > lineLength ? html.cut(text, lineLength) : text;
		return html`<div class="${lineKinds[sign]}"><i>${number === 0 ? "" : number}</i><b>${sign === " " ? "\u00a0" : sign}</b><span>${code}</span></div>`;
	});
	return html`<div class="hunk"><div class="hunk-head">${html.cut(head, 200)}</div>${shown}</div>`;
}
