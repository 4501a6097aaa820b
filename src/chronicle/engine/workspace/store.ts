// The private git repository that holds snapshots of a run's files: an index and objects of its own, the run's folder as its working tree.
// open-store.ts opens one.
import type { Result, WorkspaceFailure } from "../../core/index.ts";
import type { GitResult } from "./git.ts";
import type { ChildStore, RepositoryInfo } from "./repository.ts";

/** Attributes of all files, above the project's: contents are kept byte for byte, and merged by lines where they are text. */
export const privateAttributes = "* -text -filter -ident -working-tree-encoding -crlf merge conflict-marker-size=7\n";

export interface StoreOptions {
	/** Folder that the run works in. */
	readonly cwd: string;
	/** Private folder of the store itself. */
	readonly folder: string;
	/** Folders that are never part of the files, absolute. */
	readonly leftOut: readonly string[];
	/** Folders of other stores whose snapshots can be named here too. */
	readonly alternates: readonly string[];
	readonly limits: Limits;
	/** Whether the run's files are those of its folder, or all of the repository's. */
	readonly scope: "folder" | "repository";
	/** Whether files that are secret by their name are kept. */
	readonly secrets: "left out" | "kept";
	readonly control: OperationControl;
	readonly child?: ChildStore | undefined;
}

/** Shared by a store and the stores of repositories nested in it. */
export interface OperationControl {
	/** Of the current operation. */
	signal: AbortSignal | undefined;
	/** What the user should know about the stores and has not been shown yet. */
	readonly notes: string[];
}

export interface Limits {
	/** Bytes of one file above which its content is not kept. */
	readonly fileBytes: number;
	/** Files in a folder above which nothing is kept. */
	readonly files: number;
	/** Bytes that one snapshot may add. */
	readonly totalBytes: number;
	/** Bytes, compressed, that one snapshot may copy from the user's repository; above that it keeps using the repository's objects. */
	readonly ownBytes: number;
	/** Milliseconds that a snapshot or a comparison may take. */
	readonly measureMs: number;
	/** Milliseconds that a restore may take. */
	readonly restoreMs: number;
}

export interface FileSnapshot {
	readonly tree: string;
	/** Paths (bytes as latin1) whose current state it does not contain, with the reason. A folder covers everything in it. */
	readonly unkept: ReadonlyMap<string, string>;
}

/** Why a file's content is not kept. */
export type PlaceholderKind = "large" | "secret";

export interface Store {
	readonly root: string;
	readonly repository: RepositoryInfo;
	readonly limits: Limits;
	readonly control: OperationControl;
	/** Runs git on the store. `where`: which objects it sees, those of the alternates too (default) or only the store's own. */
	git(
		args: readonly string[],
		more?: {
			input?: Buffer;
			index?: string;
			enough?: number;
			accept?: readonly number[];
			where?: "everywhere" | "own";
			workTree?: string;
			env?: Readonly<Record<string, string>>;
		},
	): Promise<GitResult>;
	/** Arguments that limit a git command to the files of the run; empty where that is every file. */
	below(): readonly string[];
	/** Whether `path` (bytes as latin1, below the root) is one of the run's files. */
	contains(path: string): boolean;
	/** Whether `path` is one of the folders that are never part of the files, or lies in one. */
	isOwn(path: string): boolean;
	/** Takes a snapshot of the current files. */
	snapshot(): Promise<Result<FileSnapshot, WorkspaceFailure>>;
	/** Adds ignored files to the index: they are part of the files from then on. `changed`: one of them cannot be read, or is gone. */
	add(paths: readonly string[]): Promise<Result<void, WorkspaceFailure>>;
	/** To be called when the index no longer matches the last snapshot. */
	indexChanged(): void;
	/** The store of a nested repository, by its path below the root. */
	nested(path: string): Promise<Result<Store, WorkspaceFailure>>;
	/** Which kind of placeholder `object` is; `undefined` for a content. */
	placeholderOf(object: string): PlaceholderKind | undefined;
	/** Which kind of placeholder a file gets; `undefined` where its content is kept. */
	placeholderFor(path: string, size: number): PlaceholderKind | undefined;
	/** Writes a placeholder and gives its object; `undefined` where git fails. */
	makePlaceholder(kind: PlaceholderKind, size: number, modifiedMs: number): Promise<string | undefined>;
	/** Reads which placeholders a child, or another process, has made. */
	reloadPlaceholders(): Promise<void>;
}

/** A path as gitignore's notation has it. */
export function escapePattern(path: string): string {
	return path.replace(/[\\*?[\]!# ]/g, "\\$&");
}
