// The verbs that only look: list, status, show, diff, view, report, check.
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { formatDiagnostic, formatPath } from "../../definition/index.ts";
import { pageMarkdown, say } from "../../pi/index.ts";
import { differenceOf, exitCodes, followRun, isLoaded, type LiveRun, looking, type Project } from "../project/index.ts";
import { openRunView, themed, type ViewSource, type VisitDiff } from "../screen/index.ts";
import { findRun } from "../steering/index.ts";
import type { ReadLedger } from "../supervisor/index.ts";
import { changeLines, runLines, statusLines, storyLines, templateLines, templatePlace } from "../telling/index.ts";
import { templateDiagram } from "./diagram.ts";
import { refuse } from "./house.ts";
import { showPatch } from "./person.ts";
import type { ChronicleSession } from "./session.ts";
import { verbNames } from "./verbs.ts";

const prefix = "/chronicle ";

/** What a looking verb has to go on. */
export interface Look {
	readonly session: ChronicleSession;
	readonly ctx: ExtensionContext;
	readonly project: Project;
	/** Words behind the verb. */
	readonly words: readonly string[];
}

/** `/chronicle` alone: templates, runs, and what else there is. */
export async function showList({ ctx, project }: Look): Promise<void> {
	const shelf = project.templates();
	const hidden = (name: string): string | undefined =>
		verbNames.has(name) ? `${prefix}start ${name} <task>` : undefined;
	const lines = [
		...templateLines(shelf, project, hidden),
		...(shelf.templates.size === 0 ? [`  Write one: ${templatePlace(project)}`] : []),
		"",
		...(await runLines(project, prefix, await project.store.list())),
		"",
		`${prefix}<template> <task> starts one; ${prefix}<verb> [run] [words] with ${[...verbNames].join(", ")}.`,
	];
	say(ctx, lines.join("\n"));
}

export function showStatus(look: Look): Promise<void> {
	return withRun(look, look.words[0], (read) => {
		const now = new Date(look.project.clock.now()).toISOString();
		say(look.ctx, statusLines(read, { now, prefix }).join("\n"));
	});
}

/** A template as a diagram: drawn in the terminal, as Mermaid text elsewhere. */
export async function showTemplate({ ctx, project, words }: Look): Promise<void> {
	const [name = ""] = words;
	const { templates } = project.templates();
	const found = templates.get(name);
	if (name === "" || found === undefined) {
		const names = [...templates.keys()];
		const known = names.length === 0 ? "There are no templates." : `Templates: ${names.join(", ")}.`;
		return refuse(
			ctx,
			name === ""
				? `Say which template: ${prefix}show <template>. ${known}`
				: `There is no template "${name}". ${known}`,
		);
	}
	if (!isLoaded(found))
		return refuse(ctx, found.diagnostics.map((each) => formatDiagnostic(each, project.place.cwd)).join("\n"));
	const lines = templateDiagram(found.read.template);
	if (ctx.mode !== "tui") return say(ctx, ["```mermaid", ...lines, "```"].join("\n"));
	const { render } = await import("lovely-mermaid");
	const drawn = render(lines.join("\n"))?.plain ?? lines;
	// A blank line would end the paragraph, and blanks at a line's beginning would be lost outside of code.
	const kept = drawn.map((line) => `\`${line.trim() === "" ? "\u00a0" : line.replaceAll("`", "'")}\``);
	await pageMarkdown(ctx, found.read.template.name, kept.join("  \n"));
}

export function showDiff(look: Look): Promise<void> {
	const [first, second] = look.words;
	const isVisit = (word: string | undefined): boolean => word === "all" || /^\d{1,3}$/.test(word ?? "");
	const visit = isVisit(second) ? second : isVisit(first) ? first : undefined;
	return withRun(look, visit === first ? undefined : first, async (read, live) => {
		const asked = visit === undefined ? undefined : visit === "all" ? "all" : Number(visit);
		const found = await differenceOf(look.project, read, asked, live);
		if (!found.ok) return refuse(look.ctx, `${found.failure.message} ${found.failure.remedy}`, exitCodes.failed);
		const { state } = found.value;
		const title =
			found.value.visit === "all" ? "Changes of the run" : `Changes in ${state}, visit ${found.value.visit}`;
		await showPatch(look.ctx, title, found.value);
	});
}

export function showReport(look: Look): Promise<void> {
	return withRun(look, look.words[0], async (read, live) => {
		const { saveReport } = await import("../report/index.ts");
		const saved = await looking(look.project, read, live, (workspace) => saveReport(read, { workspace, prefix }));
		if (!saved.ok) return refuse(look.ctx, `${saved.failure.message} ${saved.failure.remedy}`, exitCodes.failed);
		say(look.ctx, `The report is in ${saved.value.path}.`);
	});
}

export async function showCheck({ ctx, project, words }: Look): Promise<void> {
	const { templates } = project.templates();
	const launcher = project.launcher();
	const unknown = words.filter((name) => !templates.has(name));
	const lines = unknown.map((name) => `✗ ${name}: there is no template of that name.`);
	let sound = unknown.length === 0;
	for (const found of templates.values()) {
		if (words.length > 0 && !words.includes(found.key)) continue;
		const problems = isLoaded(found) ? await launcher.check([...found.read.template.states.values()]) : [];
		const loads = isLoaded(found) && !problems.some(({ severity }) => severity === "error");
		sound &&= loads;
		lines.push(
			`${loads ? "✓" : "✗"} ${formatPath(found.file, project.place.cwd)}`,
			...found.diagnostics.map((diagnostic) => `  ${formatDiagnostic(diagnostic, project.place.cwd)}`),
			...problems.map(({ state, message, remedy }) => `  ${state}: ${message} ${remedy}`),
		);
	}
	const text = lines.length === 0 ? "There are no templates." : lines.join("\n");
	if (sound) say(ctx, text);
	else refuse(ctx, text);
}

/** The run view in the terminal; elsewhere the same as text. */
export function showView(look: Look): Promise<void> {
	const { ctx, project } = look;
	if (ctx.mode !== "tui")
		return withRun(look, look.words[0], (read) => {
			const now = new Date(project.clock.now()).toISOString();
			say(ctx, [...statusLines(read, { now, prefix }), ...storyLines(read.run)].join("\n"));
		});
	return withRun(look, look.words[0], async (read, live) => {
		// Not awaited: the view stays open while the person looks, and the command is over.
		void openRunView(ctx, sourceOf(project, read, live), themed(ctx.ui));
	});
}

function sourceOf(project: Project, read: ReadLedger, live: LiveRun | undefined): ViewSource {
	let { run } = read;
	return {
		run: () => live?.supervision.run ?? run,
		watch(listener) {
			if (live) return live.supervision.watch(() => listener());
			return followRun(project, run.id, (now) => {
				run = now.run;
				listener();
			});
		},
		events: (after) => read.events(after),
		async diff(visit): Promise<VisitDiff> {
			const ledger = { ...read, run: live?.supervision.run ?? run };
			const found = await differenceOf(project, ledger, visit, live);
			if (!found.ok) return { kind: "none", reason: `${found.failure.message} ${found.failure.remedy}` };
			const { changes, more, patch, cut } = found.value;
			const [summary = ""] = changeLines(changes, more);
			return { kind: "diff", summary: summary.replace(/:$/, ""), text: patch, cut };
		},
		transcript(conversation) {
			const path = join(read.folder, "workers", `${conversation}.jsonl`);
			return existsSync(path) ? path : undefined;
		},
	};
}

async function withRun(
	{ session, ctx, project }: Look,
	named: string | undefined,
	act: (read: ReadLedger, live: LiveRun | undefined) => void | Promise<void>,
): Promise<void> {
	const found = await findRun(project, named, [...session.lives.keys()]);
	if (!found.ok) return refuse(ctx, `${found.failure.message} ${found.failure.remedy}`);
	const live = session.lives.get(found.value);
	if (live) return act({ ...live.ledger, run: live.supervision.run }, live);
	const read = await project.store.read(found.value);
	if (!read.ok) return refuse(ctx, `${read.failure.message} ${read.failure.remedy}`);
	return act(read.value, undefined);
}
