import type { FileModes } from "./file-modes.ts";
import type { GitResult } from "./git.ts";
import type { ChildStore, RepositoryInfo } from "./repository.ts";

/** Attributes of all files, overriding the project's: contents are stored byte for byte, and text is merged by lines. */
export const privateAttributes = "* -text -filter -ident -working-tree-encoding -crlf merge conflict-marker-size=7\n";

export interface StoreOptions {
	/** Folder that the run works in. */
	readonly cwd: string;
	/** Private folder of the store itself. */
	readonly folder: string;
	/** Folders that are never part of the files, absolute. */
	readonly leftOut: readonly string[];
	/** Folders of other stores whose snapshots are readable here too. */
	readonly alternates: readonly string[];
	readonly limits: Limits;
	/** Whether the run's files are those of its folder, or all of the repository's. */
	readonly scope: "folder" | "repository";
	/** Whether files with secret names are stored. */
	readonly secrets: "left out" | "kept";
	readonly control: OperationControl;
	readonly child?: ChildStore | undefined;
}

/** Shared by a store and the stores of repositories nested in it. */
export interface OperationControl {
	/** Of the current operation. */
	signal: AbortSignal | undefined;
	/** Notices about the stores that the user has not seen yet. */
	readonly notes: string[];
}

export interface Limits {
	/** Maximum bytes of a file whose contents are stored. */
	readonly fileBytes: number;
	/** Maximum number of new or changed files; above it, no snapshot is taken. */
	readonly files: number;
	/** Maximum bytes that one snapshot adds. */
	readonly totalBytes: number;
	/** Maximum compressed bytes that one snapshot copies from the user's repository; the rest keeps using the repository's objects. */
	readonly ownBytes: number;
	/** Time limit of a snapshot or a comparison, in milliseconds. */
	readonly measureMs: number;
	/** Time limit of a restore, in milliseconds. */
	readonly restoreMs: number;
}

export interface FileSnapshot {
	readonly tree: string;
	/** Paths (bytes as latin1) whose current state it does not contain, with the reason. A folder covers everything in it. */
	readonly unkept: ReadonlyMap<string, string>;
}

/** Why a file's contents are not stored. */
export type PlaceholderKind = "large" | "secret";

export interface StoreGitOptions {
	readonly input?: Buffer;
	readonly index?: string;
	readonly enough?: number;
	readonly accept?: readonly number[];
	/** Which objects git sees: those of the alternates too (default), or only the store's own. */
	readonly where?: "everywhere" | "own";
	readonly workTree?: string;
	readonly env?: Readonly<Record<string, string>>;
}

export interface Store {
	/** Folder of all files; a real path. */
	readonly root: string;
	/** Folder that the run works in; a real path. */
	readonly cwd: string;
	readonly repository: RepositoryInfo;
	readonly limits: Limits;
	readonly control: OperationControl;
	/** Runs git on the store; its failure is thrown. */
	git(args: readonly string[], more?: StoreGitOptions): Promise<Omit<Extract<GitResult, { kind: "done" }>, "kind">>;
	/** Runs git on the store; its failure is a result. */
	tryGit(args: readonly string[], more?: StoreGitOptions): Promise<GitResult>;
	/** Arguments that limit a git command to the files of the run; empty if these are all files. */
	below(): readonly string[];
	/** Whether `path` (bytes as latin1, below the root) can be one of the run's files. */
	contains(path: string): boolean;
	/** Why `path` is never one of the files, as part of a sentence; `undefined`: it may be. */
	exclusionOf(path: string): string | undefined;
	/** Takes a snapshot of the current files. */
	snapshot(): Promise<FileSnapshot>;
	/** Adds ignored files to the index: they are then part of the files. `changed`: one of them cannot be read or no longer exists. */
	add(paths: readonly string[]): Promise<void>;
	/** Call when the index no longer matches the last snapshot. */
	indexChanged(): void;
	/** The store of a nested repository, by its path below the root. */
	nested(path: string): Promise<Store>;
	/** The kind of placeholder `object`; `undefined` for stored contents. */
	placeholderOf(object: string): PlaceholderKind | undefined;
	/** The kind of a file's placeholder; `undefined` if its contents are stored. */
	placeholderFor(path: string, size: number): PlaceholderKind | undefined;
	/** Writes a placeholder and returns its object name. */
	makePlaceholder(kind: PlaceholderKind, size: number, modifiedMs: number): Promise<string>;
	/** Permissions that git does not keep. */
	readonly modes: FileModes;
	/** Reads the placeholders that a child or another process has created. */
	reloadPlaceholders(): Promise<void>;
}
