// Allowed calls that have not ended. One of them must not invalidate the judgment of another.
// Invariant: a call that could change the meaning of a path never runs at the same time as a call that uses that path.
import type { FileAccess, Footprint } from "../../footprint/index.ts";
import { isWithin } from "./containment.ts";

export interface InFlightCalls {
	/** Why call `id` cannot run now, as the start of a sentence for the model; `undefined` if it can. */
	conflict(id: string, footprint: Footprint, exists: (path: string) => boolean): string | undefined;
	/** Adds a call. The id of a nested call starts with its parent's id and `/`. */
	begin(id: string, footprint: Footprint): void;
	end(id: string): void;
	clear(): void;
	readonly size: number;
}

/** Programs that can create a link at their destination, or move one there. */
const linkers = new Set(
	"ln link cp mv install rsync scp tar bsdtar cpio unzip 7z 7za 7zr ar mount New-Item mklink Move-Item Copy-Item junction stow rename ditto".split(
		" ",
	),
);
/** Subcommands of git that write the working tree. */
const gitLinkers = new Set(
	"checkout switch restore reset merge pull rebase clone stash worktree apply am cherry-pick revert submodule read-tree checkout-index mv bisect subtree".split(
		" ",
	),
);

export function openInFlightCalls(): InFlightCalls {
	const calls = new Map<string, Footprint>();
	return {
		get size() {
			return calls.size;
		},
		begin: (id, footprint) => void calls.set(id, footprint),
		end: (id) => void calls.delete(id),
		clear: () => calls.clear(),
		conflict(id, footprint, exists) {
			for (const [otherId, other] of calls) {
				if (id.startsWith(`${otherId}/`)) continue;
				const clash = relinks(other, footprint, exists) ?? relinks(footprint, other, exists);
				if (clash) {
					return `Another call of the same message (${other.tool}) could change what ${clash} means while this one runs`;
				}
			}
			return undefined;
		},
	};
}

/** A path that `user` accesses and whose meaning `maker` could change. */
function relinks(maker: Footprint, user: Footprint, exists: (path: string) => boolean): string | undefined {
	if (maker.tool === "write" || maker.tool === "edit") return undefined;
	const made = canLink(maker) ? maker.accesses.filter(({ kind }) => kind !== "read" && kind !== "list") : [];
	const unknown = maker.unknowns.some(({ may }) => may.includes("link") || may.includes("write"));
	for (const access of user.accesses) {
		for (const name of made) if (overlap(name, access)) return access.path;
		if (unknown && (access.kind === "read" || access.kind === "list") && !exists(access.path)) return access.path;
	}
	return undefined;
}

function canLink({ accesses, runs }: Footprint): boolean {
	return (
		accesses.some(({ kind }) => kind === "link") ||
		runs.some(({ program, args }) => {
			if (program === null) return true;
			if (program === "git") return args.some((word) => word === null || gitLinkers.has(word));
			return linkers.has(program);
		})
	);
}

function overlap(made: FileAccess, used: FileAccess): boolean {
	return (
		isWithin(used.path, made.path) ||
		isWithin(used.real, made.real) ||
		(used.recursive && (isWithin(made.path, used.path) || isWithin(made.real, used.real)))
	);
}
