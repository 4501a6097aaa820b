// What the judgement of two calls that run at the same time asks about paths.
import type { FileAccess } from "@pi-chronicle/footprint";

export interface PathFacts {
	/** Whether anything is there, broken links included. */
	exists(path: string): boolean;
	/** Whether it is in a folder for temporary files outside the project. */
	isTemporary(place: Pick<FileAccess, "path" | "real">): boolean;
}
