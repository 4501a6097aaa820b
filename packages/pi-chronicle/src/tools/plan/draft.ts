// A draft: the files of a new definition, parsed from a model's answer. Each file is a fenced block whose info string names it, as in the
// authoring skills: ```yaml file=.pi/chronicle/workflows/feature.yaml. Pure.
// A draft names only files of definitions, below `.pi`; it is complete or refused, with every reason.

export interface DraftFile {
	/** Relative to the project, with `/`. */
	readonly path: string;
	readonly text: string;
}

export type DraftKind = "chronicle" | "workflow" | "sequence";

export interface DefinitionDraft {
	readonly kind: DraftKind;
	/** Name of the template or sequence, or of the workflow's directory. */
	readonly key: string;
	/** The definition to start is in the first one. */
	readonly files: readonly [DraftFile, ...DraftFile[]];
}

export type ReadDraft =
	| { readonly kind: "draft"; readonly draft: DefinitionDraft }
	/** Sentences for the model. `rest`: the files without these problems, if they include the definition to start. */
	| { readonly kind: "problems"; readonly problems: readonly string[]; readonly rest?: DefinitionDraft };

const maxFiles = 40;
const maxCharacters = 100_000;
const template = /^\.pi\/chronicle\/workflows\/([\w-]+)\.(?:ya?ml|json)$/;
const workflow = /^\.pi\/workflows\/([\w-]+)\/workflow\.yaml$/;
const sequence = /^\.pi\/sequences\/([\w-]+)\.yaml$/;
const others = [/^\.pi\/workflows\/[\w-]+\/[\w-]+\.md$/, /^\.pi\/agents\/[\w-]+\.md$/];

/** Reads the draft in a model's answer. */
export function readDraft(answer: string): ReadDraft {
	const { files, problems } = readBlocks(answer);
	return draftOf(files, problems);
}

/** Creates a draft of these files. `wrong`: their known problems. */
export function draftOf(files: readonly DraftFile[], wrong: readonly string[] = []): ReadDraft {
	const problems = [...wrong, ...files.flatMap((file, index) => problemsOfDraft(file, files.slice(0, index)))];
	if (files.length > maxFiles) problems.push(`The draft has ${files.length} files; ${maxFiles} are allowed.`);
	const [first, ...rest] = files;
	if (!first)
		return problem(
			problems,
			"The answer contains no file. Write each file as a fenced block with its path: ```yaml file=.pi/chronicle/workflows/<name>.yaml",
		);
	const kind = definitionKind(first.path);
	if (kind === undefined)
		return problem(
			problems,
			`The first file must be the definition to start: .pi/chronicle/workflows/<name>.yaml, .pi/workflows/<name>/workflow.yaml or .pi/sequences/<name>.yaml, not ${first.path}.`,
		);
	const draft = { ...kind, files: [first, ...rest] } as const;
	if (problems.length === 0) return { kind: "draft", draft };
	const sound = rest.filter((file, index) => problemsOfDraft(file, files.slice(0, index + 1)).length === 0);
	const isSound = problemsOfDraft(first, []).length === 0;
	return { kind: "problems", problems, ...(isSound ? { rest: { ...kind, files: [first, ...sound] } } : {}) };
}

/** The kind and the key of the definition at `path`. */
function definitionKind(path: string): Pick<DefinitionDraft, "kind" | "key"> | undefined {
	const forms = { chronicle: template, workflow, sequence } as const;
	for (const kind of ["chronicle", "workflow", "sequence"] as const) {
		const key = forms[kind].exec(path)?.[1];
		if (key !== undefined) return { kind, key };
	}
	return undefined;
}

function problem(problems: readonly string[], message: string): ReadDraft {
	return { kind: "problems", problems: [...problems, message] };
}

/** The blocks that name a file, and their problems. */
function readBlocks(answer: string): { files: DraftFile[]; problems: string[] } {
	const files: DraftFile[] = [];
	const problems: string[] = [];
	const lines = answer.split(/\r?\n/);
	for (let at = 0; at < lines.length; at++) {
		const [, fence, path] = /^(`{3,}|~{3,})\s*[\w-]*\s+file=(\S+)\s*$/.exec(lines[at] ?? "") ?? [];
		if (fence === undefined || path === undefined) continue;
		const end = lines.findIndex((line, index) => index > at && closes(line, fence));
		if (end === -1) {
			problems.push(`The block of ${path} does not end: close it with ${fence}.`);
			break;
		}
		const text = `${lines.slice(at + 1, end).join("\n")}\n`;
		files.push({ path, text });
		at = end;
	}
	return { files, problems };
}

function closes(line: string, fence: string): boolean {
	const closing = line.trimEnd();
	return closing.length >= fence.length && [...closing].every((character) => character === fence[0]);
}

function problemsOfDraft({ path, text }: DraftFile, before: readonly DraftFile[]): string[] {
	const allowed = [template, workflow, sequence, ...others].some((pattern) => pattern.test(path));
	return [
		...(allowed
			? []
			: [
					`${path} is not a definition file. Allowed are .pi/chronicle/workflows/<name>.yaml, .pi/workflows/<name>/workflow.yaml with its <phase>.md, .pi/sequences/<name>.yaml, and .pi/agents/<name>.md; names have letters, digits, - and _.`,
				]),
		...(before.some((file) => file.path === path) ? [`${path} is written twice.`] : []),
		...(text.length > maxCharacters ? [`${path} has more than ${maxCharacters} characters.`] : []),
	];
}
