// A file of another tool, as passed to the readers of formats.
import type { PlainRecord } from "./foreign-fields.ts";
import type { ImportTarget } from "./worker-fields.ts";

export interface ForeignFileInput {
	/** Absolute. */
	readonly file: string;
	/** The name of its format with the article. */
	readonly format: string;
	/** The file's name without extensions, as a definition name. */
	readonly stem: string;
	readonly fields: PlainRecord;
	/** Text below the front matter of a Markdown file; empty for others. */
	readonly body: string;
	readonly target: ImportTarget;
}
