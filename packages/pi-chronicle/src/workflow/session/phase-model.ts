// The session's model during a workflow: a phase with `model` gets its own, and what the session had before returns with a phase without
// one, a pause, or the end of the workflow. A model that the user picks meanwhile stays, in that phase instead of its own, and afterwards as
// the session's. Each switch is an entry of the session, so that a reopened or forked session knows what returns.
import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import { errorMessage } from "@pi-chronicle/core/definition";
import { chooseModel, namedModels, readModelRoles, type ThinkingLevel } from "../../persona/index.ts";
import { chronicleSettings, customEntries, hasEnded, say, writeEntry } from "../../pi/index.ts";
import { currentPhase, type WorkflowRun } from "../phase-machine/index.ts";
import { phaseTitle } from "../prompts/index.ts";

const modelType = "workflow:model";

interface Selection {
	/** `provider/id`; empty: none. */
	readonly model: string;
	/** `undefined`: what pi makes of the present level. */
	readonly thinking: ThinkingLevel | undefined;
}

/** What is known about the session's model since a phase named one. */
interface Switched {
	/** The visit of a phase that last decided about the model. */
	readonly visit: string;
	/** `provider/id` of the model that the session has, unless the user has picked another one since. */
	readonly now: string;
	/** What returns; absent: `now` is the session's own. */
	readonly before?: Selection | undefined;
	/** In `visit`, the user has picked the model. */
	readonly picked?: true;
}

/** The models of one session's workflows. */
export class PhaseModels {
	private readonly pi: ExtensionAPI;
	private known: Switched | undefined;
	private last = Promise.resolve();
	/** What the user has been told, by the model or the problem. */
	private readonly told = new Set<string>();

	constructor(pi: ExtensionAPI) {
		this.pi = pi;
	}

	/** Gives the session the model for the present state of `run`. Resolves when it has it. */
	follow(ctx: ExtensionContext, run: WorkflowRun | undefined): Promise<void> {
		this.last = this.last
			.then(() => (hasEnded(ctx) ? undefined : this.decide(ctx, run)))
			.catch((error) => this.tell(ctx, errorMessage(error), `The model of the phase: ${errorMessage(error)}`));
		return this.last;
	}

	/** Reads what the opened session says. */
	restore({ sessionManager, model }: ExtensionContext): void {
		const [entry] = customEntries(sessionManager, [modelType]);
		const data = entry?.data as Partial<Switched> | undefined;
		// pi was started with the model that would return: the phase gets its own again.
		const isBack = data?.before?.model === modelWords(model);
		this.known = data?.now === undefined || isBack ? undefined : (data as Switched);
	}

	/** The model of the current phase, for the status; empty if the phase names none. */
	status({ model }: ExtensionContext, run: WorkflowRun): string[] {
		const named = modelOfPhase(run);
		if (named === undefined) return [];
		const { picked, before } = this.known ?? {};
		const how = picked ? ", which you picked" : "";
		return [
			`Model: ${modelWords(model)}${how}; the phase names ${named}${before ? `; then ${before.model} again` : ""}`,
		];
	}

	private async decide(ctx: ExtensionContext, run: WorkflowRun | undefined): Promise<void> {
		const visit = run && `${run.id} ${run.step}`;
		const now = modelWords(ctx.model);
		if (this.known && this.known.now !== now) this.remember({ visit: this.known.visit, now, picked: true });
		if (this.known?.picked && this.known.visit === visit) return;
		const wanted = run?.status.kind === "running" ? this.chosen(ctx, run) : undefined;
		if (wanted && visit !== undefined) await this.switchTo(ctx, wanted, visit);
		else await this.switchBack(ctx, visit);
	}

	private async switchTo(ctx: ExtensionContext, wanted: Selection, visit: string): Promise<void> {
		const { model } = wanted;
		const own = { model: modelWords(ctx.model), thinking: this.pi.getThinkingLevel() };
		const isSet = model === own.model && wanted.thinking === undefined;
		if (!isSet && !(await this.select(ctx, wanted))) return;
		const before = this.known?.before ?? (isSet ? undefined : own);
		this.remember({ visit, now: model, ...(before && { before }) });
	}

	private async switchBack(ctx: ExtensionContext, visit: string | undefined): Promise<void> {
		if (!this.known) return;
		const { before } = this.known;
		if (before) await this.select(ctx, before);
		else if (this.known.visit === visit) return;
		this.remember(before && visit !== undefined ? { visit, now: modelWords(ctx.model) } : undefined);
	}

	/** The usable model that the phase names. Says once that there is none. */
	private chosen(ctx: ExtensionContext, run: WorkflowRun): Selection | undefined {
		const named = modelOfPhase(run);
		if (named === undefined || run.kind === "stale") return undefined;
		const words = namedModels(named, readModelRoles(chronicleSettings(this.pi).models));
		const { model, thinking, notice } = chooseModel(words, ctx.modelRegistry.getAvailable(), ctx.model);
		if (notice) this.tell(ctx, named, `${phaseTitle(run)}: ${notice.message} ${notice.remedy}`);
		return model && !notice && words.length > 0 ? { model: modelWords(model), thinking } : undefined;
	}

	private async select({ modelRegistry }: ExtensionContext, { model: name, thinking }: Selection): Promise<boolean> {
		const slash = name.indexOf("/");
		const model = modelRegistry.find(name.slice(0, slash), name.slice(slash + 1));
		if (model === undefined || !(await this.pi.setModel(model))) return false;
		if (thinking !== undefined) this.pi.setThinkingLevel(thinking);
		return true;
	}

	private tell(ctx: ExtensionContext, about: string, text: string): void {
		if (this.told.has(about) || hasEnded(ctx)) return;
		this.told.add(about);
		say(ctx, text, "warning");
	}

	private remember(next: Switched | undefined): void {
		if (JSON.stringify(next) === JSON.stringify(this.known)) return;
		this.known = next;
		writeEntry(this.pi, modelType, next ?? {});
	}
}

function modelOfPhase(run: WorkflowRun): string | undefined {
	return run.kind === "live" ? currentPhase(run).model : undefined;
}

function modelWords(model: { readonly provider: string; readonly id: string } | undefined): string {
	return model === undefined ? "" : `${model.provider}/${model.id}`;
}
