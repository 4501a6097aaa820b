// Lets a model draft a definition in a read-only child session, and correct it with the reports of the check and the rehearsal.
import { join } from "node:path";
import { type ChildCeilings, type ChildEnd, runChild } from "../../companions/index.ts";
import type { Scope } from "../../pi/index.ts";
import { type DraftKind, readDraft } from "./draft.ts";
import type { Usage } from "./estimate.ts";
import type { PlanHost } from "./examine.ts";
import { makePlan, type Plan } from "./plan.ts";
import { askedKind, correctionPrompt, draftPrompt, guidePrompt } from "./prompt.ts";
import type { PlanWords } from "./subject.ts";
import { planFolder } from "./waiting.ts";

export interface DraftRequest extends PlanWords {
	/** As for pi's `--model`; `undefined`: pi's default. */
	readonly model: string | undefined;
	readonly signal: AbortSignal;
	/** Reports the current step, as a short text. */
	readonly onProgress: (text: string) => void;
}

export type DraftEnd =
	| { readonly kind: "drafted"; readonly plan: Plan }
	| {
			readonly kind: "failed";
			readonly reason: string;
			readonly remedy: string;
			/** Problems of the last draft. */
			readonly problems: readonly string[];
			/** The session file of the drafting model. */
			readonly session: string;
			readonly usage: Usage;
	  }
	| { readonly kind: "aborted"; readonly usage: Usage };

const maxDrafts = 6;
const helpWithModel = "Log in with /login in pi, or choose another model; `pi-chronicle doctor` examines both.";
/** Limits of each draft. */
const ceilings: ChildCeilings = { minutes: 20, tokens: 3_000_000, costUsd: 3 };
const readingTools = ["read", "grep", "find", "ls"];

/** Drafts until a draft passes, at most {@link maxDrafts} times. Throws if the project cannot be copied. */
export async function draftPlan(request: DraftRequest, host: PlanHost, scope: Scope): Promise<DraftEnd> {
	const { task, signal, onProgress } = request;
	const session = join(planFolder(host.place.agentFolder), `${crypto.randomUUID()}.jsonl`);
	let usage: Usage = { tokens: 0, costUsd: 0 };
	let prompt = draftPrompt(request, host.packageRoot);
	let problems: readonly string[] = [];
	let kind: DraftKind | undefined;
	const failed = (reason: string, remedy: string) =>
		({ kind: "failed", reason, remedy, problems, session, usage }) as const;
	for (let number = 1; number <= maxDrafts; ) {
		onProgress(number === 1 ? "drafting" : `correcting draft ${number - 1}`);
		const end = await askAuthor(prompt, session, request, host, scope);
		usage = { tokens: usage.tokens + end.usage.totalTokens, costUsd: usage.costUsd + end.usage.cost };
		if (end.kind === "aborted" || signal.aborted) return { kind: "aborted", usage };
		if (end.kind === "failed") return failed(end.reason, helpWithModel);
		const read = readDraft(end.text);
		const asked = read.kind === "problems" && !read.rest && kind === undefined ? askedKind(end.text) : undefined;
		if (asked) {
			// The choice of the kind is not a draft.
			kind = asked;
			prompt = guidePrompt(asked, host.packageRoot);
			continue;
		}
		onProgress("checking and rehearsing");
		const made = await makePlan(task, read, usage, host, signal);
		if (!("problems" in made)) return { kind: "drafted", plan: made };
		problems = made.problems;
		prompt = correctionPrompt(problems);
		number++;
	}
	return failed(`No draft passed in ${maxDrafts} attempts.`, "Describe the task in more detail.");
}

function askAuthor(
	prompt: string,
	session: string,
	{ model, signal, onProgress }: DraftRequest,
	{ place, packageRoot }: PlanHost,
	scope: Scope,
): Promise<ChildEnd> {
	const args = [
		...["--mode", "rpc", "--session", session, "-ne", "-e", join(packageRoot, "extension.ts")],
		...(model === undefined ? [] : ["--model", model]),
		...["--tools", readingTools.join(",")],
		place.trust === "trusted" ? "--approve" : "--no-approve",
	];
	const plan = { pi: place.pi, args, cwd: place.cwd, prompt, models: [], ceilings, signal, onReadonly: () => () => {} };
	return runChild(plan, scope, {
		activity: (text) => onProgress(`drafting: ${text}`),
		entry() {},
		// Questions from rules are dismissed: the drafting session may only read.
		ask: async () => undefined,
	});
}
