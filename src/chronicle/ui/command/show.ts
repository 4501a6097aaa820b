// The verbs that only look: list, status, show, diff, view, report, check.
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { formatDiagnostic, thereAre } from "../../../definition/index.ts";
import { exitCodes, pageText, say, showDiagram } from "../../../pi/index.ts";
import type { ReadLedger } from "../../core/index.ts";
import {
	checkTemplates,
	diffRun,
	isLoaded,
	notFound,
	type Project,
	type SupervisedRun,
	watchRun,
	withWorkspace,
} from "../../engine/index.ts";
import { type ForeignEntry, namesRun, readVisitWords, resolveLedger, resolveRun } from "../commands/index.ts";
import { openRunView, type ViewSource, type VisitDiff } from "../screen/index.ts";
import {
	differenceLines,
	foreignLines,
	foreignStoryLines,
	runLines,
	statusLines,
	storyLines,
	templateCheckLines,
	templateDiagram,
	templateLines,
	templatePlace,
} from "../text/index.ts";
import { showPatch } from "./person.ts";
import type { ChronicleSession } from "./session.ts";
import { refuseCommand } from "./session-project.ts";
import { verbNames, verbs } from "./verbs.ts";

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
	const catalogue = project.templates();
	const hidden = (name: string): string | undefined =>
		verbNames.has(name) ? `${prefix}start ${name} <task>` : undefined;
	const lines = [
		...templateLines(catalogue, project, hidden),
		...(catalogue.templates.size === 0 ? [`  Write one: ${templatePlace(project)}`] : []),
		"",
		...(await runLines(project, prefix, await project.store.list())),
		"",
		`${prefix}<template> <task> starts one; ${prefix}<verb> [run] [words] with ${[...verbNames].join(", ")}.`,
	];
	return pageText(ctx, "Chronicles", lines.join("\n"));
}

/** What each verb does. */
export async function showHelp({ ctx }: Look): Promise<void> {
	const width = Math.max(...verbs.map(({ name }) => name.length));
	const listed = verbs.map(({ name, about }) => `  ${name.padEnd(width)}  ${about}`);
	const text = [`${prefix}<template> <task> starts a run; ${prefix}<verb> [run] [words]:`, ...listed].join("\n");
	return pageText(ctx, "Chronicles", text);
}

export function showStatus(look: Look): Promise<void> {
	return withLedger(
		look,
		(read) => {
			const now = new Date(look.project.clock.now()).toISOString();
			return pageText(look.ctx, "Status", statusLines(read, { now, prefix }).join("\n"));
		},
		(entry) => pageText(look.ctx, "Status", foreignLines(entry).join("\n")),
	);
}

/** A template as a diagram: drawn in the terminal, as Mermaid text elsewhere. */
export async function showTemplate({ ctx, project, words }: Look): Promise<void> {
	const [name] = words;
	const catalogue = project.templates();
	if (name === undefined) {
		const known = thereAre([...catalogue.templates.keys()], "There are no templates.");
		return refuseCommand(ctx, `Say which template: ${prefix}show <template>. ${known}`);
	}
	const found = catalogue.templates.get(name);
	if (found && isLoaded(found)) return showDiagram(ctx, found.read.template.name, templateDiagram(found.read.template));
	const { message, diagnostics } = notFound(name, catalogue, project);
	refuseCommand(ctx, [message, ...diagnostics.map((each) => formatDiagnostic(each, project.place.cwd))].join("\n"));
}

export async function showDiff(look: Look): Promise<void> {
	const entries = await look.project.store.list();
	const words = readVisitWords(look.words, (word) => namesRun(word, entries));
	if (typeof words === "string") return refuseCommand(look.ctx, words);
	return withRun(look, words.named, async (read, live) => {
		const found = await diffRun(look.project, read, words.visit, live);
		if (!found.ok) {
			const code = found.failure.reason === "unknown_visit" ? exitCodes.usage : exitCodes.failed;
			return refuseCommand(look.ctx, `${found.failure.message} ${found.failure.remedy}`, code);
		}
		const { state } = found.value;
		const title =
			found.value.visit === "all" ? "Changes of the run" : `Changes in ${state}, visit ${found.value.visit}`;
		await showPatch(look.ctx, title, found.value);
	});
}

export function showReport(look: Look): Promise<void> {
	return withRun(look, look.words[0], async (read, live) => {
		const { saveReport } = await import("../report/index.ts");
		const saved = await withWorkspace(look.project, read, live, (workspace) => saveReport(read, { workspace, prefix }));
		if (!saved.ok) return refuseCommand(look.ctx, `${saved.failure.message} ${saved.failure.remedy}`, exitCodes.failed);
		say(look.ctx, `The report is in ${saved.value.path}.`);
	});
}

export async function showCheck({ ctx, project, words }: Look): Promise<void> {
	const check = await checkTemplates(project, words);
	const pointer = "`pi-chronicle check` in a shell checks everything that the project has.";
	const text = [...templateCheckLines(check, project.place.cwd), pointer].join("\n");
	if (!check.sound && ctx.mode !== "tui") return refuseCommand(ctx, text);
	return pageText(ctx, "Check of the templates", text);
}

/** The run view in the terminal; elsewhere the same as text. */
export function showView(look: Look): Promise<void> {
	const { ctx, project } = look;
	return withLedger(
		look,
		(read, live) => {
			if (ctx.mode === "tui") {
				// Not awaited: the view stays open while the person looks, and the command is over.
				void openRunView(ctx, sourceOf(project, read, live));
				return;
			}
			const now = new Date(project.clock.now()).toISOString();
			say(ctx, [...statusLines(read, { now, prefix }), ...storyLines(read.run)].join("\n"));
		},
		(entry) => pageText(ctx, "Run", [...foreignLines(entry), ...foreignStoryLines(entry)].join("\n")),
	);
}

function sourceOf(project: Project, read: ReadLedger, live: SupervisedRun | undefined): ViewSource {
	let { run } = read;
	return {
		run: () => live?.supervision.run ?? run,
		watch(listener) {
			if (live) return live.supervision.watch(() => listener());
			return watchRun(project, run.id, (now) => {
				run = now.run;
				listener();
			});
		},
		events: (after) => read.events(after),
		async diff(visit): Promise<VisitDiff> {
			const ledger = { ...read, run: live?.supervision.run ?? run };
			const found = await diffRun(project, ledger, visit, live);
			if (!found.ok) return { kind: "none", reason: `${found.failure.message} ${found.failure.remedy}` };
			const { patch, cut } = found.value;
			return { kind: "diff", summary: differenceLines(found.value), text: patch, cut };
		},
		transcript(conversation) {
			const path = join(read.folder, "workers", `${conversation}.jsonl`);
			return existsSync(path) ? path : undefined;
		},
	};
}

type Act = (read: ReadLedger, live: SupervisedRun | undefined) => void | Promise<void>;

async function withRun(
	{ session, ctx, project }: Omit<Look, "words">,
	named: string | undefined,
	act: Act,
): Promise<void> {
	const found = await resolveRun(project, named, [...session.lives.keys()]);
	if (!found.ok) return refuseCommand(ctx, `${found.failure.message} ${found.failure.remedy}`);
	const live = session.lives.get(found.value);
	if (live) return act({ ...live.ledger, run: live.supervision.run }, live);
	const read = await project.store.read(found.value);
	if (!read.ok) return refuseCommand(ctx, `${read.failure.message} ${read.failure.remedy}`);
	return act(read.value, undefined);
}

/** The same for the run that the only word names, also for a ledger of another program. */
async function withLedger(
	look: Look,
	act: Act,
	lookAtForeign: (entry: ForeignEntry) => void | Promise<void>,
): Promise<void> {
	const { session, ctx, project, words } = look;
	const found = await resolveLedger(project, words[0], [...session.lives.keys()]);
	if (!found.ok) return refuseCommand(ctx, `${found.failure.message} ${found.failure.remedy}`);
	if (found.value.kind === "foreign") return lookAtForeign(found.value);
	return withRun(look, found.value.id, act);
}
