// The run as stored in checkpoints and `recovered` events, without the parts derived from the template's definition.
// This format keeps older names than `run.ts`, so that every version can read the files of every other version.
import { compileDefinition, hashCleanup, type Template } from "../template/index.ts";
import type { Run, Stage, VisitRecord } from "./run.ts";

type Derived = "plan" | "childPlans" | "cleanupHash";
/** Fields that are absent where there is nothing to store, or in the files of earlier versions. */
type OptionalFields =
	| "parent"
	| "children"
	| "candidates"
	| "choices"
	| "childCount"
	| "decisions"
	| "question"
	| "providerWait"
	| "inherited"
	| "keptFolders"
	| "conditions";

export interface StoredRun extends Omit<Run, Derived | OptionalFields | "stage" | "visitRecord"> {
	readonly stage: StoredStage;
	readonly visitRecord: StoredVisitRecord;
	readonly parent?: NonNullable<Run["parent"]>;
	readonly children?: NonNullable<Run["children"]>;
	readonly candidates?: NonNullable<Run["candidates"]>;
	readonly choices?: Run["choices"];
	readonly childCount?: number;
	readonly inherited?: NonNullable<Run["inherited"]>;
	/** Absent in the files of earlier versions. */
	readonly decisions?: Run["decisions"];
	readonly question?: NonNullable<Run["question"]>;
	readonly providerWait?: NonNullable<Run["providerWait"]>;
	readonly keptFolders?: Run["keptFolders"];
	readonly conditions?: Run["conditions"];
}

type StoredStage = { readonly kind: string } & Readonly<Record<string, unknown>>;

type StoredVisitRecord = Omit<VisitRecord, "noProgress"> & {
	readonly sameness: { readonly print: string; readonly count: number };
};

export function encodeRun({
	plan: _plan,
	childPlans: _plans,
	cleanupHash: _hash,
	parent,
	inherited,
	children,
	candidates,
	choices,
	childCount,
	decisions,
	question,
	providerWait,
	keptFolders,
	conditions,
	stage,
	visitRecord,
	...run
}: Run): StoredRun {
	return {
		...run,
		...(parent ? { parent } : {}),
		...(inherited ? { inherited } : {}),
		...(children ? { children } : {}),
		...(candidates ? { candidates } : {}),
		...(choices.length > 0 ? { choices } : {}),
		...(childCount > 0 ? { childCount } : {}),
		decisions,
		...(question ? { question } : {}),
		...(providerWait ? { providerWait } : {}),
		...(keptFolders.length > 0 ? { keptFolders } : {}),
		...(conditions.length > 0 ? { conditions } : {}),
		stage: storeStage(stage, run.seq),
		visitRecord: storeVisitRecord(visitRecord),
	};
}

/** Restores a stored run; `undefined` if this version cannot read the template's definition. Does not validate anything else. */
export function decodeRun({ stage, visitRecord, ...run }: StoredRun): Run | undefined {
	const plan = compileDefinition(run.template.definition, run.template.name);
	if (!plan) return undefined;
	return {
		parent: null,
		inherited: null,
		children: null,
		candidates: null,
		choices: [],
		childCount: 0,
		decisions: [],
		question: null,
		providerWait: null,
		keptFolders: [],
		conditions: [],
		...run,
		plan,
		childPlans: compileChildPlans(run.template.children),
		cleanupHash: hashCleanup(plan) ?? null,
		stage: restoreStage(stage),
		visitRecord: restoreVisitRecord(visitRecord),
	};
}

/** The templates of a run's children, compiled. One that this version cannot read is left out. */
export function compileChildPlans(pinned: Run["template"]["children"]): Run["childPlans"] {
	const plans = new Map<string, Template>();
	for (const [name, { definition }] of Object.entries(pinned ?? {})) {
		const plan = compileDefinition(definition, name);
		if (plan) plans.set(name, plan);
	}
	return plans;
}

function storeStage(stage: Stage, since: number): StoredStage {
	switch (stage.kind) {
		case "deciding": {
			const { decision, stopping, delayMs } = stage;
			return { kind: "recording", since, event: decision, leaving: stopping && storeStage(stopping, since), delayMs };
		}
		case "stopping":
			return { ...stage, kind: "leaving" };
		case "waiting":
			return stage.left ? { ...stage, left: storeStage(stage.left, since) } : { ...stage };
		default:
			return { ...stage };
	}
}

function restoreStage(stored: StoredStage): Stage {
	switch (stored.kind) {
		case "recording": {
			const { event: decision, leaving, delayMs } = stored;
			const stopping = leaving && restoreStage(leaving as StoredStage);
			return { kind: "deciding", decision, stopping, delayMs } as Stage;
		}
		case "leaving":
			return { ...stored, kind: "stopping" } as unknown as Stage;
		case "waiting": {
			const { left } = stored as { readonly left?: StoredStage };
			return { ...stored, ...(left ? { left: restoreStage(left) } : {}) } as unknown as Stage;
		}
		default:
			return stored as unknown as Stage;
	}
}

function storeVisitRecord({ noProgress, summary, use, ...record }: VisitRecord): StoredVisitRecord {
	const { fingerprint, count } = noProgress;
	return { ...record, sameness: { print: fingerprint, count }, summary, ...(use ? { use } : {}) };
}

function restoreVisitRecord({ sameness, ...record }: StoredVisitRecord): VisitRecord {
	const { print, count } = sameness;
	return { ...record, noProgress: { fingerprint: print, count } };
}
