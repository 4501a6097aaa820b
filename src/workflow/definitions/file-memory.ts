// Remembers what files said, so that an unchanged file is neither read nor parsed again, and knows whether anything changed.
// M1 a file that was changed is always noticed: one that had been touched shortly before it was looked at counts as changed, because
// a second change within the clock's grain would leave no trace; M2 nothing here throws; M3 within one pass a file is read once.
import { statSync } from "node:fs";
import { type Diagnostic, type FileStamp, readSource, type Source, stampOf } from "../../definition/index.ts";

/** How a path looked at one moment. */
export interface Sight {
	readonly path: string;
	/** `undefined`: nothing was there. */
	readonly stamp: FileStamp | undefined;
	/** Whether an equal stamp proves that nothing has changed since. */
	readonly settled: boolean;
}

export type FileResult<T> =
	| { readonly kind: "value"; readonly value: T }
	| { readonly kind: "absent" }
	| { readonly kind: "problem"; readonly diagnostic: Diagnostic };

export interface FileMemory<T> {
	/** What the file says. `real` is the path that is opened, for a file whose real path has been judged: it must be no link. */
	read(file: string, real?: string): FileResult<T>;
	/** Ends a pass: forgets files that were not read in it and gives how the others looked. */
	endPass(): Sight[];
}

/** Clock grain of file systems in ms; those that only know whole seconds are recognised by that. */
const fineGrainMs = 50;
const coarseGrainMs = 2100;

/** Opens a memory whose files are understood by `parse`. */
export function openFileMemory<T>(parse: (source: Source) => T): FileMemory<T> {
	interface Kept {
		readonly sight: Sight;
		readonly result: FileResult<T>;
		pass: number;
	}
	const kept = new Map<string, Kept>();
	let pass = 1;

	const readNow = (file: string, real: string | undefined): Kept => {
		const now = Date.now();
		const read = readSource(real ?? file, real === undefined ? {} : { links: "refuse" });
		switch (read.kind) {
			case "text": {
				const source: Source = real === undefined ? read.source : renamed(read.source, file);
				const sight = { path: file, stamp: read.stamp, settled: isSettled(read.stamp, now) };
				return { sight, result: { kind: "value", value: parse(source) }, pass };
			}
			case "absent":
				return { sight: { path: file, stamp: undefined, settled: true }, result: read, pass };
			case "problem":
				return { sight: look(file), result: { ...read, diagnostic: { ...read.diagnostic, file } }, pass };
		}
	};

	return {
		read(file, real) {
			const before = kept.get(file);
			if (before?.pass === pass) return before.result;
			if (before && isUnchanged(before.sight)) {
				before.pass = pass;
				return before.result;
			}
			const fresh = readNow(file, real);
			kept.set(file, fresh);
			return fresh.result;
		},
		endPass() {
			const sights: Sight[] = [];
			for (const [file, { sight, pass: last }] of kept) {
				if (last === pass) sights.push(sight);
				else kept.delete(file);
			}
			pass += 1;
			return sights;
		},
	};
}

/** Looks at a path without opening it. */
export function look(path: string): Sight {
	const now = Date.now();
	try {
		const stats = statSync(path, { throwIfNoEntry: false });
		if (!stats) return { path, stamp: undefined, settled: true };
		const stamp = stampOf(stats);
		return { path, stamp, settled: isSettled(stamp, now) };
	} catch {
		return { path, stamp: undefined, settled: false };
	}
}

/** Whether a path provably looks as it did. */
export function isUnchanged(sight: Sight): boolean {
	if (!sight.settled) return false;
	try {
		const stats = statSync(sight.path, { throwIfNoEntry: false });
		const { stamp } = sight;
		if (!stats || !stamp) return !stats && !stamp;
		return (
			stats.mtimeMs === stamp.modifiedMs &&
			stats.ctimeMs === stamp.changedMs &&
			stats.size === stamp.size &&
			stats.ino === stamp.inode
		);
	} catch {
		return false;
	}
}

function isSettled(stamp: FileStamp, now: number): boolean {
	const grain = stamp.changedMs % 1000 === 0 ? coarseGrainMs : fineGrainMs;
	return now - stamp.changedMs > grain;
}

function renamed(source: Source, file: string): Source {
	return { file, text: source.text, place: (offset) => ({ ...source.place(offset), file }) };
}
