// The child runs of a segment: runs of their own in the database, done by the host that has their parent.
// D1 only the holder of a run holds its children; D2 a child's folder is set to its recorded files first, unless this host was the last that
// worked in it; D3 children are settled before their parent's segment ends.
import type {
	ChildOrder,
	ChildRuns,
	ChildSupervision,
	Result,
	StoreFailure,
	WorkerLauncher,
} from "../../core/index.ts";
import { ChildTree, openChildRuns, type Project, workspaceScope } from "../project/index.ts";
import { nobody, supervise } from "../supervisor/index.ts";
import type { Checkout } from "./checkout.ts";
import type { PostgresLedger } from "./held.ts";
import { readMarker, writeMarker } from "./marker.ts";
import { type Publishing, publishSegment } from "./publishing.ts";
import { openSharedWorkspace, type SharedWorkspace } from "./shared-workspace.ts";
import type { PostgresStore } from "./store.ts";

export interface ChildSegmentsOptions {
	readonly store: PostgresStore;
	readonly checkout: Checkout;
	readonly project: { readonly remote: string };
	/** The project in the working folder of the first run. */
	readonly served: Project;
	/** Where the first run works, in the project's repository. */
	readonly repository: string;
	readonly launcher: WorkerLauncher;
	readonly report: (text: string) => void;
}

/** Where the parent of children works. */
export interface ParentPlace {
	readonly cwd: string;
	/** Its private folder. */
	readonly folder: string;
	/** The run whose refs hold its snapshots. */
	readonly trees: string;
}

/** A child that this host has begun to hold. */
interface HeldChild {
	readonly ledger: PostgresLedger;
	readonly workspace: SharedWorkspace;
	readonly place: ParentPlace;
}

/** The child runs of one segment, at every depth. */
export class ChildSegments {
	readonly #options: ChildSegmentsOptions;
	readonly #tree: ChildTree;
	readonly #publishing: Publishing[] = [];

	constructor(options: ChildSegmentsOptions) {
		this.#tree = new ChildTree(() => options.store.list());
		// A standby belongs to one run: children start their workers cold.
		this.#options = { ...options, launcher: { ...options.launcher, keepReady: async () => {} } };
	}

	/** The children of the run at `parent`. */
	of(parent: ParentPlace): ChildRuns {
		const { store, checkout, served } = this.#options;
		return {
			async exists(id) {
				const read = await store.read(id);
				return read.ok || read.failure.reason !== "unknown";
			},
			isSetUp: async (id) => (await readMarker(checkout.folderOf(id))) !== undefined,
			start: (order) => {
				let held: HeldChild | undefined;
				const hold = async (
					taken: Promise<Result<PostgresLedger, StoreFailure>>,
				): Promise<Result<PostgresLedger, StoreFailure>> => {
					const opened = await taken;
					if (opened.ok) held = await this.#hold(opened.value, parent, order);
					return opened;
				};
				const runs = openChildRuns({
					tree: this.#tree,
					approvals: served.approvals,
					store: {
						read: store.read,
						open: (id) => hold(store.open(id)),
						create: (first) => hold(store.createChild(first, this.#treesOf(parent, order))),
					},
					supervise: (_ledger, _order, origin) => {
						if (!held) throw new Error("The child is not held.");
						return this.#supervise(held, order, origin);
					},
				});
				return runs.start(order);
			},
		};
	}

	/** Resolves once everything that children publish is published. */
	async settle(): Promise<void> {
		for (const publishing of this.#publishing) await publishing.settle();
	}

	/** A child with a folder of its own has the store of its parent, and so its snapshots. */
	#treesOf({ trees }: ParentPlace, { files, child }: ChildOrder): string {
		return files === "own" ? trees : child.id;
	}

	/** Brings the child's folder to the recorded files. */
	async #hold(ledger: PostgresLedger, parent: ParentPlace, order: ChildOrder): Promise<HeldChild> {
		const { checkout, project, served, repository, report } = this.#options;
		const { run, earlier, folder } = ledger;
		const trees = this.#treesOf(parent, order);
		const cwd = order.cwd ?? parent.cwd;
		const workspace = openSharedWorkspace({
			...{ run: run.id, trees, remote: project.remote, cwd, repository, folder, report },
			...(order.files === "own" ? { childOf: parent.folder } : {}),
			leftOut: served.ownFolders,
			...workspaceScope(run),
		});
		const known = await readMarker(folder);
		if (earlier.fence > 0) await checkout.publishRecorded(ledger, trees);
		if (earlier.fence > 0 && known?.fence !== earlier.fence) {
			await checkout.bringConversations(run.id);
			const restored =
				earlier.head === null || order.files === "shared" ? undefined : await workspace.restore(earlier.head);
			if (restored?.ok === false)
				throw new Error(`The child's files could not be restored: ${restored.failure.message}`);
		}
		await writeMarker(ledger, "");
		return { ledger, workspace, place: { cwd, folder, trees } };
	}

	#supervise(
		{ ledger, workspace, place }: HeldChild,
		order: ChildOrder,
		origin: "fresh" | "reopened",
	): ChildSupervision {
		const { served, launcher } = this.#options;
		const publishing = publishSegment(ledger, workspace);
		this.#publishing.push(publishing);
		ledger.use(publishing.hooks);
		// Its answers come by its inbox.
		const ports = served.ports(ledger, nobody, launcher, { order, tree: this.#tree });
		const supervision = supervise(ledger, { ...ports, workspace, children: this.of(place) }, origin);
		return { supervision, workspace };
	}
}
