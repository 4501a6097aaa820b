// Starts a run. Finds all obstacles before creating anything, and reports them together.
// Nothing is written before the user has decided about the cleanup commands; the run is on disk before its first worker starts.
import { randomUUID } from "node:crypto";
import { type Diagnostic, didYouMean, formatPath, pathList, thereAre } from "@pi-chronicle/core/definition";
import type { TemplateReload } from "@pi-chronicle/core/machine";
import { isFinished, type Run, SCHEMA_VERSION } from "@pi-chronicle/core/machine";
import type { HeldLedger, LaunchProblem, Result, StoreFailure, WorkerLauncher } from "@pi-chronicle/core/ports";
import { commandsOf, hashCommands, type Template } from "@pi-chronicle/core/template";
import { readCheckedOut, readUncommitted } from "../../disk/index.ts";
import type { CleanupApprovals, CleanupStatus } from "./cleanup-approvals.ts";
import type { Project } from "./project.ts";
import { firstRuns } from "./run-tree.ts";
import type { FoundTemplate, SelectedTemplate, TemplateCatalogue } from "./template-catalogue.ts";
import { checkTree, type PinnedChildren, pinnedChildren, type TemplateTree } from "./template-tree.ts";

type ReadTemplate = { readonly read: NonNullable<FoundTemplate["read"]> };
/** A template that loads. */
type LoadedTemplate = SelectedTemplate & ReadTemplate;

export interface CleanupTexts {
	/** One for each template of the tree that has commands. */
	readonly hashes: readonly string[];
	readonly commands: readonly { readonly state: string; readonly command: string }[];
	readonly standing: Exclude<CleanupStatus, "never">;
}

export type Preparation =
	| {
			readonly kind: "ready";
			readonly found: LoadedTemplate;
			/** The template's cleanup commands; `undefined`: none. */
			readonly cleanup: CleanupTexts | undefined;
			/** Notices for the user before it starts. */
			readonly notes: readonly string[];
			/** The runs at work in the project's folder. */
			readonly neighbours: readonly string[];
			readonly launcher: WorkerLauncher;
			/** Whether a state of it or of its children has a worker, which needs a model. */
			readonly hasWorkers: boolean;
			/** Data for child runs in the ledger. */
			readonly pinned: PinnedChildren;
	  }
	| {
			readonly kind: "refused";
			/** One sentence. */
			readonly message: string;
			readonly diagnostics: readonly Diagnostic[];
			readonly problems: readonly LaunchProblem[];
	  };

/**
 * Checks the template `name` and everything that its states need, for a new run or for the run `own`. Starts at most one pi that lists models, and
 * one per set of extensions.
 */
export async function prepareStart(
	project: Project,
	name: string,
	signal?: AbortSignal,
	own?: string,
): Promise<Preparation> {
	const catalogue = project.templates();
	const { cwd } = project.place;
	const found = catalogue.templates.get(name);
	if (!found || !isLoaded(found)) return { kind: "refused", ...notFound(name, catalogue, project), problems: [] };
	const launcher = project.launcher();
	const { problems, tree, writers } = await checkTree(launcher, found, catalogue, { cwd, signal });
	if (problems.some(({ severity }) => severity === "error"))
		return { kind: "refused", message: `"${name}" cannot run now.`, diagnostics: [], problems };
	return {
		kind: "ready",
		found,
		cleanup: cleanupTexts(project, found, tree),
		notes: [
			...found.inPlaceOf.map(
				(file) => `${formatPath(file, cwd)} does not load; ${formatPath(found.file, cwd)} runs instead.`,
			),
			...problems.map(({ state, message, remedy }) => `${state}: ${message} ${remedy}`),
			...dialectNotes(found.read.template),
		],
		neighbours: await neighbours(project, own),
		launcher,
		hasWorkers: tree.templates.some(({ template }) => [...template.states.values()].some(({ persona }) => persona)),
		pinned: pinnedChildren(tree, writers),
	};
}

export function isLoaded<T extends FoundTemplate>(found: T): found is T & ReadTemplate {
	return found.read !== undefined;
}

/** Why there is no template of that name, and the existing ones. `others`: further words for suggestions. */
export function notFound(
	name: string,
	{ templates }: TemplateCatalogue,
	{ place }: Project,
	others: Iterable<string> = [],
): { readonly message: string; readonly diagnostics: readonly Diagnostic[] } {
	const known = templates.get(name);
	if (known) return { message: `The template "${name}" does not load.`, diagnostics: known.diagnostics };
	const names = [...templates.values()].filter(isLoaded).map(({ key }) => key);
	const list = thereAre(names, "This project has no templates.");
	const trust =
		place.trust === "untrusted"
			? " The project's templates are not read because pi does not trust it (/trust in pi, --approve for one command)."
			: "";
	return {
		message: `There is no template "${name}".${didYouMean(name, [...names, ...others])} ${list}${trust}`,
		diagnostics: [],
	};
}

/** The cleanup commands of a template, and whether they are approved. */
function cleanupTexts(
	{ approvals }: Project,
	{ tier }: LoadedTemplate,
	{ templates }: TemplateTree,
): CleanupTexts | undefined {
	const hashes = templates.flatMap(({ template }) => hashCommands(template) ?? []);
	const [hash] = hashes;
	if (hash === undefined) return undefined;
	const standings = hashes.map((one) => approvals.statusOf(one));
	const known = standings.find((standing) => standing === "unknown") ?? standings[0];
	const commands = templates.flatMap(({ path, template, inline }) =>
		inline
			? []
			: commandsOf(template).map(({ state, command }) => ({
					state: path === "" ? state : `${path}/${state}`,
					command: command.command,
				})),
	);
	return {
		hashes: [...new Set(hashes)],
		commands,
		// Anyone who can write to the user's folder can run commands without a template.
		standing: known === "approved" || known === "own" ? known : tier === "personal" ? "own" : "unknown",
	};
}

function dialectNotes({ dialect, states }: Template): string[] {
	const asked = [...states.values()].filter(({ approval }) => approval.entry && !approval.exit);
	if (dialect !== "ae" || asked.length === 0) return [];
	const names = asked.map(({ name }) => name).join(", ");
	return [
		`This template uses \`initial\` and \`agent\`, so approvals without a mode are requested before a state starts: ${names}.`,
	];
}

/** Runs among which those that are active are looked for: those that changed last. */
const maxNeighbours = 20;

/** The ids of active runs in the project's folder. */
async function neighbours({ store, engine }: Project, own: string | undefined): Promise<string[]> {
	// On an engine each run has a folder of its own.
	if (engine) return [];
	const live = firstRuns(await store.recent(maxNeighbours)).filter(
		(entry) =>
			entry.kind === "run" &&
			entry.holder?.alive === "yes" &&
			entry.id !== own &&
			entry.summary.apart === undefined &&
			// Its process may not have ended yet.
			!isFinished(entry.summary.status),
	);
	return live.map(({ id }) => id);
}

/** What it means that a run shares the project's folder with these. */
export function neighbourNotes(neighbours: readonly string[]): string[] {
	return neighbours.map(
		(id) =>
			`The run ${id.slice(0, 8)} uses the same folder at the same time: changes cannot be attributed and are shown for both. With --apart, a run works in a copy of its own.`,
	);
}

export interface StartOrder {
	readonly task: string;
	/** `provider/id` for states that name none. Default: pi's choice. */
	readonly model?: string | undefined;
	/** The user's answer for the cleanup commands: `approved` for exactly these texts; `none`: none of them runs. */
	readonly cleanup: "approved" | "own" | "none";
	/** Whether it works in a copy of the project. Default: no. */
	readonly apart?: boolean;
}

/** Creates the run. It is on disk when this resolves, and this process holds its lease. */
export async function createRun(
	{ store, approvals, engine, place }: Project,
	{ found, cleanup, pinned }: Pick<Extract<Preparation, { kind: "ready" }>, "found" | "cleanup" | "pinned">,
	order: StartOrder,
): Promise<Result<HeldLedger, StoreFailure>> {
	const pins = await pinTemplate({ approvals }, { found, cleanup, pinned }, order.cleanup);
	if (!pins.ok) return pins;
	// A copy cannot tell, nor can the hosts of an engine: they have the files without the user's repository.
	const isElsewhere = engine !== undefined || order.apart === true;
	const uncommitted = isElsewhere && pathList(await readUncommitted(place.cwd));
	const checkedOut = isElsewhere && (await readCheckedOut(place.cwd));
	return store.create({
		kind: "created",
		schemaVersion: SCHEMA_VERSION,
		id: randomUUID(),
		...pins.value,
		task: order.task,
		...(order.apart ? { apart: true } : {}),
		...(order.model === undefined ? {} : { model: order.model }),
		...(uncommitted ? { uncommitted } : {}),
		...(checkedOut ? { checkedOut } : {}),
	});
}

/** The prepared template for the ledger. Stores the user's answer for its cleanup commands. */
export async function pinTemplate(
	{ approvals }: Pick<Project, "approvals">,
	{ found, cleanup, pinned }: Pick<Extract<Preparation, { kind: "ready" }>, "found" | "cleanup" | "pinned">,
	answer: StartOrder["cleanup"],
): Promise<Result<TemplateReload, StoreFailure>> {
	const { key, file, read } = found;
	if (cleanup && answer !== "none") {
		const texts = cleanup.commands.map(({ state, command }) => `${state}: ${command}`);
		for (const hash of cleanup.hashes) {
			const refused = await keepApproval(approvals, hash, answer, texts);
			if (refused) return { ok: false, failure: refused };
		}
	}
	const own = hashCommands(read.template);
	const template = { name: key, hash: read.hash, definition: read.definition, file, ...pinned };
	return { ok: true, value: { template, ...(own !== undefined && answer !== "none" ? { cleanupApproval: own } : {}) } };
}

/** Without a stored approval the commands would be refused later, when the work is done. */
async function keepApproval(
	approvals: CleanupApprovals,
	...answer: Parameters<CleanupApprovals["remember"]>
): Promise<StoreFailure | undefined> {
	try {
		await approvals.remember(...answer);
		return undefined;
	} catch (error) {
		const { code, message } = error as NodeJS.ErrnoException;
		return {
			reason: "io",
			message: `Your answer for the cleanup commands could not be stored in pi's agent folder: ${code ?? message}.`,
			remedy: "Make that folder writable, or start without the commands.",
		};
	}
}

/** A sentence if the template's file differs from the run's version. */
export function templateChange({ templates }: Project, { template }: Run): string | undefined {
	const now = templates().templates.get(template.name)?.read;
	return now && now.hash !== template.hash
		? `The template "${template.name}" has changed since; the run continues with its own version; --reload takes the new one.`
		: undefined;
}
