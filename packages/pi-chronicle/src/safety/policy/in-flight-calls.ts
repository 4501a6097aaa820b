// Allowed calls that have not ended. One of them must not invalidate the judgment of another.
// Invariant: a call that could change the meaning of a path never runs at the same time as a call that uses that path. A program whose
// effect is unknown can do so where it works, not in a temporary folder that the other call makes itself.
import type { FileAccess, Footprint } from "@pi-chronicle/footprint";
import { isWithin } from "../containment.ts";
import type { PathFacts } from "../path-facts.ts";

export interface InFlightCalls {
	/** Why call `id` cannot run now, as the start of a sentence for the model; `undefined` if it can. */
	conflict(id: string, footprint: Footprint, disk: PathFacts): string | undefined;
	/** Adds a call. The id of a nested call starts with its parent's id and `/`. `title`: its first words, for messages. */
	begin(id: string, footprint: Footprint, title: string): void;
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
	const calls = new Map<string, { readonly footprint: Footprint; readonly title: string }>();
	return {
		get size() {
			return calls.size;
		},
		begin: (id, footprint, title) => void calls.set(id, { footprint, title }),
		end: (id) => void calls.delete(id),
		clear: () => calls.clear(),
		conflict(id, footprint, disk) {
			for (const [otherId, { footprint: other, title }] of calls) {
				if (id.startsWith(`${otherId}/`)) continue;
				const theirs = relinks(other, footprint, disk);
				if (theirs)
					return `Another call of the same message, ${title}, could change what ${theirs} means while this one runs`;
				const own = relinks(footprint, other, disk);
				if (own)
					return `This call could change what ${own} means while another call of the same message, ${title}, runs`;
			}
			return undefined;
		},
	};
}

/** A path that `user` accesses and whose meaning `maker` could change. */
function relinks(maker: Footprint, user: Footprint, disk: PathFacts): string | undefined {
	if (maker.tool === "write" || maker.tool === "edit") return undefined;
	const made = canLink(maker) ? maker.accesses.filter(({ kind }) => kind !== "read" && kind !== "list") : [];
	const unknown = maker.unknowns.some(({ may }) => may.includes("link") || may.includes("write"));
	for (const access of user.accesses) {
		for (const name of made) if (overlap(name, access)) return access.path;
		const isLooked = access.kind === "read" || access.kind === "list";
		if (unknown && isLooked && !disk.exists(access.path) && !isOwnAccess(access, user, disk)) return access.path;
	}
	return undefined;
}

/** Whether the call itself makes this path, or a folder above it, in a temporary place. */
function isOwnAccess(used: FileAccess, { accesses }: Footprint, disk: PathFacts): boolean {
	return (
		disk.isTemporary(used) &&
		accesses.some(
			(made) =>
				(made.kind === "write" || made.kind === "link") &&
				disk.isTemporary(made) &&
				isWithin(used.path, made.path) &&
				isWithin(used.real, made.real),
		)
	);
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
