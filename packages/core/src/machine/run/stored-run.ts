// The run as stored in checkpoints and `recovered` events, without the parts derived from the template's definition.
// This format keeps older names than `run.ts`, so that every version can read the files of every other version.
import { compileDefinition, hashCommands, type Template } from "../../template/index.ts";
import { type Run, SCHEMA_VERSION, type Stage, type VisitRecord } from "./run.ts";

type Derived = "plan" | "childPlans" | "cleanupHash";

/** Fields that are absent where there is nothing to store, or in the files of earlier versions: with what they are then. */
export const NOTHING_STORED = {
	parent: null,
	inherited: null,
	children: null,
	candidates: null,
	choices: [],
	childCount: 0,
	decisions: [],
	answered: [],
	failures: [],
	question: null,
	providerWait: null,
	keptFolders: [],
	conditions: [],
} satisfies Partial<Run>;

type OptionalField = keyof typeof NOTHING_STORED;

export type StoredRun = Omit<Run, Derived | OptionalField | "stage" | "visitRecord"> & {
	readonly [Field in OptionalField]?: NonNullable<Run[Field]>;
} & { readonly stage: StoredStage; readonly visitRecord: StoredVisitRecord };

type StoredStage = { readonly kind: string } & Readonly<Record<string, unknown>>;

type StoredVisitRecord = Omit<VisitRecord, "noProgress"> & {
	readonly sameness: { readonly print: string; readonly count: number };
};

export function encodeRun({
	plan: _plan,
	childPlans: _plans,
	cleanupHash: _hash,
	stage,
	visitRecord,
	...run
}: Run): StoredRun {
	const stored = Object.entries(run).filter(([field, value]) => field === "decisions" || !isNothing(field, value));
	return {
		...(Object.fromEntries(stored) as Omit<StoredRun, "stage" | "visitRecord">),
		stage: storeStage(stage, run.seq),
		visitRecord: storeVisitRecord(visitRecord),
	};
}

function isNothing(field: string, value: unknown): boolean {
	const isEmpty = (value ?? 0) === 0 || (Array.isArray(value) && value.length === 0);
	return isEmpty && Object.hasOwn(NOTHING_STORED, field);
}

/** Restores a stored run; `undefined` if this version cannot read the template's definition. Does not validate anything else. */
export function decodeRun({ stage, visitRecord, ...run }: StoredRun): Run | undefined {
	const plan = compileDefinition(run.template.definition, run.template.name);
	if (!plan) return undefined;
	return {
		...NOTHING_STORED,
		...run,
		schemaVersion: SCHEMA_VERSION,
		plan,
		childPlans: compileChildPlans(run.template.children),
		cleanupHash: hashCommands(plan) ?? null,
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
	return { ...record, noProgress: { fingerprint: sameness.print, count: sameness.count } };
}
