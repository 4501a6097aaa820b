// The project's files as the phases of a run found them, for `/workflow back --files`.
// A snapshot is taken before the model's first request of a visit, and only if the user's settings ask for it; whatever a
// restore overwrites is in a snapshot first.
import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { Result, Workspace, WorkspaceFailure } from "@pi-chronicle/core/ports";
import type { CheckedOut } from "@pi-chronicle/core/snapshot";
import { customEntries, type Session, say, writeEntry } from "../../pi/index.ts";
import { currentPhase, type LiveWorkflowRun, type Position } from "../phase-machine/index.ts";
import { workflowSettings } from "./settings.ts";

/** Opens the snapshots of the workflow run `run` in the project at `cwd`. `leftOut`: files that are not the project's, absolute. */
export type OpenRunFiles = (
	place: { readonly cwd: string; readonly leftOut: readonly string[] },
	run: string,
) => Promise<Result<Pick<Workspace, "snapshot" | "preview" | "restore" | "checkedOut">, WorkspaceFailure>>;

/** A snapshot as the session has it: at the beginning of a visit of `position`; without one, before a restore. */
export interface PhaseSnapshot {
	readonly taskId: string;
	readonly step: number;
	readonly position?: Position;
	readonly tree: string;
	readonly checkedOut?: CheckedOut | undefined;
}

const filesType = "workflow:files";
/** Milliseconds after which a snapshot that is being taken is reported. */
const slowMs = 2_000;

/** The snapshots of one session's runs. */
export class PhaseFiles {
	private readonly pi: ExtensionAPI;
	private readonly openFiles: OpenRunFiles;
	private opened: { readonly run: string; readonly files: ReturnType<OpenRunFiles> } | undefined;
	/** The visit whose snapshot was last due, and the run and failure that were last reported. */
	private tried = "";
	private reported = "";

	constructor(pi: ExtensionAPI, openFiles: OpenRunFiles) {
		this.pi = pi;
		this.openFiles = openFiles;
	}

	/** Whether the files are saved when a phase begins. */
	get isOn(): boolean {
		return workflowSettings(this.pi).snapshots;
	}

	/** Takes the snapshot of the current visit, if it is due. */
	async keep(ctx: ExtensionContext, run: LiveWorkflowRun): Promise<void> {
		const { id, step, position } = run;
		const visit = `${id} ${step}`;
		if (this.tried === visit || !this.isOn) return;
		this.tried = visit;
		if (this.find(ctx.sessionManager, id, (kept) => kept.position && kept.step === step)) return;
		const slow = setTimeout(() => say(ctx, "Saving the project's files for /workflow back --files…"), slowMs);
		const taken = await this.take(ctx, { taskId: id, step, position }).finally(() => clearTimeout(slow));
		if (taken.ok) return;
		const { reason, message, remedy } = taken.failure;
		// The user has stopped the agent: the snapshot is due again.
		if (reason === "stopped") this.tried = "";
		if (reason === "stopped" || this.reported === `${id} ${message}`) return;
		this.reported = `${id} ${message}`;
		say(ctx, `${message} /workflow back --files cannot return to "${currentPhase(run).name}". ${remedy}`, "warning");
	}

	/** Takes a snapshot and writes its entry. `towards`: with everything that a restore of this snapshot would overwrite. */
	async take(
		ctx: ExtensionContext,
		of: Pick<PhaseSnapshot, "taskId" | "step" | "position">,
		towards?: string,
	): Promise<Result<string, WorkspaceFailure>> {
		const files = await this.open(ctx, of.taskId);
		if (!files.ok) return files;
		const taken = await files.value.snapshot({
			...(towards && { towards }),
			...(ctx.signal && { signal: ctx.signal }),
		});
		if (!taken.ok) return taken;
		const { tree } = taken.value;
		writeEntry(this.pi, filesType, {
			...of,
			tree,
			checkedOut: await files.value.checkedOut?.(),
		} satisfies PhaseSnapshot);
		return { ok: true, value: tree };
	}

	/** The newest snapshot of a run on the session's branch that fits. */
	find(session: Session, run: string, fits: (one: PhaseSnapshot) => unknown): PhaseSnapshot | undefined {
		for (const { data } of customEntries(session, [filesType])) {
			const snapshot = data as PhaseSnapshot;
			if (snapshot.taskId === run && fits(snapshot)) return snapshot;
		}
		return undefined;
	}

	/** Opens the snapshots of a run, once. */
	open({ cwd, sessionManager }: ExtensionContext, run: string): ReturnType<OpenRunFiles> {
		// pi continues to write to the session file, which may be in the project.
		const leftOut = [sessionManager.getSessionFile() ?? []].flat();
		if (this.opened?.run !== run) this.opened = { run, files: this.openFiles({ cwd, leftOut }, run) };
		return this.opened.files;
	}
}
