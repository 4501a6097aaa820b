// The child runs of one visit, folded from the parent's events. Times are milliseconds since the epoch.
import type { ChildGroup, ChildRun, ChildSpend, LedgerEvent } from "../machine/index.ts";
import { NO_CHILD_SPEND } from "../machine/index.ts";
import { type ChangeTotals, type FileChange, measuredTotals } from "../snapshot/index.ts";

type KnownOfRun = "index" | "id" | "name" | "needs" | "joined" | "status" | "detail" | "state" | "activity" | "summary";

export interface VisitChild extends Pick<ChildRun, KnownOfRun> {
	readonly plannedAt: number;
	/** When its first worker started, as far as the parent knows; `undefined` before its first report. */
	readonly beganAt: number | undefined;
	readonly endedAt: number | undefined;
	readonly total: ChildSpend;
	/** The files that it has changed; empty before its end, and where that is unknown. */
	readonly changes: readonly FileChange[];
	/** Counts all of them, also those that the ledger does not list. Absent where they are unknown. */
	readonly changed?: ChangeTotals;
}

/** The children after an event of their parent; `at` is its time. */
export function childrenAfter(children: readonly VisitChild[], event: LedgerEvent, at: number): readonly VisitChild[] {
	const change = (id: string, to: (child: VisitChild) => Partial<VisitChild>): readonly VisitChild[] =>
		children.map((child) => (child.id === id ? { ...child, ...to(child) } : child));
	switch (event.kind) {
		case "children_planned":
			return [
				...children,
				...event.children.map(({ index, id, name, needs }) => ({
					index,
					id,
					name,
					...(needs ? { needs } : {}),
					status: "pending" as const,
					detail: "",
					plannedAt: at,
					beganAt: undefined,
					endedAt: undefined,
					total: NO_CHILD_SPEND,
					summary: "",
					changes: [],
				})),
			];
		case "child_spent":
			return change(event.child, (child) => ({
				...spentBy(child, event, at),
				...(event.state === undefined ? {} : { state: event.state }),
				activity: event.activity,
			}));
		case "child_parked":
			return change(event.child, () => ({ status: "parked", detail: event.detail, activity: undefined }));
		case "child_signaled":
			return change(event.child, () => ({ status: "pending", detail: "", endedAt: undefined }));
		case "child_dropped":
			return change(event.child, ({ endedAt }) => ({ status: "dropped", endedAt: endedAt ?? at }));
		case "child_ended":
			return change(event.child, (child) => ({
				...spentBy(child, event.total, at),
				...(child.status === "dropped" ? {} : { status: event.status, detail: event.detail }),
				activity: undefined,
				endedAt: at,
				summary: event.handover.summary,
				...changesIn(event),
			}));
		case "joined":
			return event.child === undefined || event.conflicts.length > 0
				? children
				: change(event.child, () => ({ joined: true }));
		case "resumed":
			return children.map((child) => (child.status === "parked" ? { ...child, status: "pending", detail: "" } : child));
		default:
			return children;
	}
}

/** The children, of which the run has dropped those that need a lost one. `group`: those of the run then; `null`: it has left them. */
export function withoutLost(children: readonly VisitChild[], group: ChildGroup | null): readonly VisitChild[] {
	if (!children.some(({ needs, status }) => needs && status === "pending")) return children;
	return children.map((child) => {
		if (child.status !== "pending") return child;
		const { status = "dropped", detail = "" } = group?.children.find(({ id }) => id === child.id) ?? {};
		return status === "dropped" ? { ...child, status, detail } : child;
	});
}

function changesIn({ changes, more, changed: total }: LedgerEvent & { kind: "child_ended" }): Partial<VisitChild> {
	return changes ? { changes, changed: measuredTotals({ changes, more, total }) } : {};
}

/** Adds its totals and its start time: the first report contains its working time so far. */
function spentBy(
	{ beganAt, plannedAt }: VisitChild,
	{ spend, activeMs, attempts, toolCalls }: ChildSpend,
	at: number,
): Pick<VisitChild, "total" | "beganAt"> {
	const began = beganAt ?? (attempts > 0 ? Math.max(plannedAt, at - activeMs) : undefined);
	return { total: { spend, activeMs, attempts, toolCalls }, beganAt: began };
}
