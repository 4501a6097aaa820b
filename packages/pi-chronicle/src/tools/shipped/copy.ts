// Copies a shipped definition into a project so that the user can change it: the definition, the agents that it names, and its scenario.
// No file of the project is overwritten: an existing definition is an error, existing agents and scenarios are kept; a copy is complete, or
// nothing is copied. The copy names the command of the project's tests, if it is known.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, extname, join } from "node:path";
import {
	didYouMean,
	errorMessage,
	formatPath,
	type Node,
	openSource,
	parseYaml,
	quoted,
	thereAre,
} from "@pi-chronicle/core/definition";
import { findTestCommand, writeTogether } from "../../disk/index.ts";
import { exitCodes } from "../../pi/index.ts";
import {
	copyFolder,
	type ShippedKind,
	shippedChronicles,
	shippedFolder,
	shippedNames,
	shippedWorkflows,
} from "./folders.ts";

export interface ShippedCopy {
	readonly name: string;
	readonly kind: "workflow" | "chronicle";
	/** Absolute paths of new files. */
	readonly written: readonly string[];
	/** Absolute paths of existing files, which are used unchanged. */
	readonly kept: readonly string[];
	/** The new file that runs the project's tests, and their command; `null`: it is not known. Absent: the definition runs no tests. */
	readonly tests?: { readonly file: string; readonly command: string | null };
}

export interface CopyRefusal {
	readonly message: string;
	readonly remedy: string;
	/** Absent: usage. */
	readonly exitCode?: number;
}

/** Lists what a copy wrote; `trusted`: whether pi reads the project's definitions. */
export function copyLines({ name, kind, written, kept, tests }: ShippedCopy, cwd: string, trusted: boolean): string[] {
	return [
		...written.map((file) => `wrote ${formatPath(file, cwd)}`),
		...kept.map((file) => `kept  ${formatPath(file, cwd)}, which already existed`),
		...(tests ? [testsLine(formatPath(tests.file, cwd), tests.command)] : []),
		`The project's ${name} is used from now on: /${kind} ${name} <task>. After a change: /rehearse ${kind} ${name}`,
		...(trusted
			? []
			: ["pi does not trust this project, so the copy is not read yet: /trust in pi, or --approve for one command."]),
	];
}

function testsLine(file: string, command: string | null): string {
	return command === null
		? `No command that runs the project's tests was found. Write it in ${file} instead of {tests}, which looks for it in each run.`
		: `The project's tests are run by: ${command} (in ${file})`;
}

const workflowFile = "workflow.yaml";
/** The command of the project's tests in a shipped definition. */
const tests = '"{tests}"';

interface Source {
	readonly kind: ShippedCopy["kind"];
	/** Of the definition itself; the one that names the others is first. */
	readonly files: readonly PlacedFile[];
	/** Agents and scenario. */
	readonly further: readonly PlacedFile[];
}

interface PlacedFile {
	readonly kind: ShippedKind;
	/** Below the folder of its kind. */
	readonly path: string;
}

/** What a user is asked who copies such a definition. */
export const testsQuestion = {
	title: "Which command runs the project's tests?",
	message: "Nothing in the project tells. Without an answer, it is looked for in each run.",
	placeholder: "make check",
	leave: "Esc leaves it open",
} as const;

/** Whether the shipped definition `name` runs the project's tests, with a command that the files of the project `cwd` do not tell. */
export function lacksTests(name: string, cwd: string): boolean {
	return sourceOf(name)?.files.some((file) => shippedText(file).includes(tests)) === true && !findTestCommand(cwd);
}

/**
 * Copies the shipped definition `name` into `.pi` of the project `cwd`, or nothing of it. `command` runs the project's tests; `undefined`: it
 * is looked for.
 */
export function copyShipped(name: string, cwd: string, command = findTestCommand(cwd)): ShippedCopy | CopyRefusal {
	const source = sourceOf(name);
	if (!source) {
		const names = shippedNames();
		const message = `The package has no definition ${quoted(name)}.${didYouMean(name, names)}`;
		return { message, remedy: thereAre(names, "") };
	}
	const target = ({ kind, path }: PlacedFile): string => join(copyFolder(cwd, kind), path);
	const inTheWay = takenPath(name, source, cwd);
	if (inTheWay !== undefined)
		return {
			message: `${formatPath(inTheWay, cwd)} exists already, so nothing was copied.`,
			remedy: "Change it there, or rename it first.",
		};
	const kept = source.further.filter((file) => existsSync(target(file)));
	const written = [...source.files, ...source.further].filter((file) => !kept.includes(file));
	const tested = source.files.find((file) => shippedText(file).includes(tests));
	const line = command === undefined ? tests : JSON.stringify(command);
	const copies = written.map((file) => ({ path: target(file), content: shippedText(file).replace(tests, () => line) }));
	try {
		writeTogether(copies, "fail");
	} catch (error) {
		const message = `The definition cannot be copied: ${errorMessage(error)}.`;
		return { message, remedy: "It needs a writable folder and free space.", exitCode: exitCodes.failed };
	}
	return {
		...{ name, kind: source.kind, written: written.map(target), kept: kept.map(target) },
		...(tested && { tests: { file: target(tested), command: command ?? null } }),
	};
}

function shippedText({ kind, path }: PlacedFile): string {
	return readFileSync(join(shippedFolder(kind), path), "utf8");
}

/** A file or folder of the project that has the definition's name. */
function takenPath(name: string, { kind }: Source, cwd: string): string | undefined {
	if (kind === "workflow") {
		const folder = join(copyFolder(cwd, "workflows"), name);
		return existsSync(folder) ? folder : undefined;
	}
	const folder = copyFolder(cwd, "templates");
	const same = existsSync(folder)
		? readdirSync(folder).find((file) => basename(file, extname(file)) === name)
		: undefined;
	return same === undefined ? undefined : join(folder, same);
}

function sourceOf(name: string): Source | undefined {
	if (shippedWorkflows().includes(name)) {
		const phases = readdirSync(join(shippedFolder("workflows"), name)).filter((file) => file !== workflowFile);
		const files = [workflowFile, ...phases].map((file): PlacedFile => ({ kind: "workflows", path: join(name, file) }));
		return { kind: "workflow", files, further: [{ kind: "workflow scenarios", path: `${name}.yaml` }] };
	}
	if (!shippedChronicles().includes(name)) return undefined;
	const file = join(shippedFolder("templates"), `${name}.yaml`);
	const { root } = parseYaml(openSource(file, readFileSync(file, "utf8")));
	const agents = [...new Set(root ? agentsNamed(root) : [])].sort();
	return {
		kind: "chronicle",
		files: [{ kind: "templates", path: `${name}.yaml` }],
		further: [
			...agents.map((agent): PlacedFile => ({ kind: "agents", path: `${agent}.md` })),
			{ kind: "chronicle scenarios", path: `${name}.yaml` },
		],
	};
}

/** Values of all fields `agent`. */
function agentsNamed(node: Node): string[] {
	if (node.kind === "list") return node.items.flatMap(agentsNamed);
	if (node.kind !== "map") return [];
	return [...node.entries].flatMap(([key, { value }]) =>
		key === "agent" && value.kind === "scalar" ? [String(value.value)] : agentsNamed(value),
	);
}
