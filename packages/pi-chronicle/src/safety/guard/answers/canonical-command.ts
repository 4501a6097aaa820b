// The canonical form of a command: only quotes and blanks are normalized. Different commands with the same effect stay different.
// Invariants: a text with a part that could differ next time (variables, substitutions, globs, here-documents, compound commands) has no
// canonical form; two texts with the same form are the same words in the same order in any shell.

import { spell } from "@pi-chronicle/footprint";
import {
	type Assignment,
	type Command,
	type PipelineNode,
	parse,
	type Redirection,
	type Statement,
	type Word,
} from "unbash";

/** Words that start something other than a simple command unless quoted. */
const reserved: ReadonlySet<string> = new Set(
	"if then else elif fi do done case esac while until for select in function time coproc".split(" "),
);

/** The canonical form of shell text; `undefined` if it has none. */
export function canonicalCommand(text: string): string | undefined {
	// Characters that the analysis uses for unknown parts, and invisible ones.
	if (/[\p{Co}\p{Cc}\p{Cf}]/u.test(text.replaceAll(/[\n\t]/g, " "))) return undefined;
	const script = parse(text);
	if ((script.errors?.length ?? 0) > 0 || script.commands.length === 0) return undefined;
	try {
		return script.commands.map(ofStatement).join(" ").replace(/ ;$/, "");
	} catch (error) {
		if (error instanceof NotPlain) return undefined;
		throw error;
	}
}

/** The words of a text that is one simple command of nothing but literal words, each in canonical form; `undefined` if it is not. */
export function plainWords(text: string): readonly string[] | undefined {
	if (canonicalCommand(text) === undefined) return undefined;
	const [statement, ...more] = parse(text).commands;
	if (more.length > 0 || statement?.background || statement?.command.type !== "Command") return undefined;
	const { name, prefix, suffix } = statement.command;
	if (!name || prefix.length > 0 || !suffix.every((part) => part.type === "Word")) return undefined;
	return [ofWord(name), ...suffix.map(ofWord)];
}

class NotPlain extends Error {}

function ofStatement({ command, background }: Statement): string {
	const end = background ? " &" : " ;";
	if (command.type !== "AndOr") return ofPipeline(command) + end;
	const parts = command.commands.map((part, index) =>
		index === 0 ? ofPipeline(part) : `${command.operators[index - 1]} ${ofPipeline(part)}`,
	);
	return parts.join(" ") + end;
}

function ofPipeline(node: PipelineNode): string {
	if (node.type === "Command") return ofCommand(node);
	if (node.type !== "Pipeline" || node.prefixes.length > 0) throw new NotPlain();
	return node.commands
		.map((command, index) => {
			if (command.type !== "Command") throw new NotPlain();
			return index === 0 ? ofCommand(command) : `${node.operators[index - 1]} ${ofCommand(command)}`;
		})
		.join(" ");
}

function ofCommand({ name, prefix, suffix }: Command): string {
	if (!name) throw new NotPlain();
	const program = ofWord(name);
	if (!/^[\w./+@-]+$/.test(program) || reserved.has(program)) throw new NotPlain();
	return [...prefix.map(ofPart), program, ...suffix.map(ofPart)].join(" ");
}

function ofPart(part: Word | Assignment | Redirection): string {
	switch (part.type) {
		case "Word":
			return ofWord(part);
		case "Assignment":
			if (part.append || part.index || part.value.type !== "Word") throw new NotPlain();
			return `${part.name}=${ofWord(part.value)}`;
		case "Redirect": {
			if (!part.target) throw new NotPlain();
			const descriptor = part.descriptor === undefined ? "" : descriptorOf(part.descriptor);
			return `${descriptor}${part.operator}${ofWord(part.target)}`;
		}
		default:
			throw new NotPlain();
	}
}

function descriptorOf(descriptor: NonNullable<Redirection["descriptor"]>): string {
	if (descriptor.type !== "FileDescriptor") throw new NotPlain();
	return String(descriptor.value);
}

function ofWord({ text, value, parts }: Word): string {
	const fixed =
		parts?.every(
			(part) =>
				part.type === "Literal" ||
				part.type === "SingleQuoted" ||
				(part.type === "DoubleQuoted" && part.parts.every(({ type }) => type === "Literal")),
		) ?? true;
	if (!fixed) throw new NotPlain();
	// An unquoted tilde means a folder: only the plain form is unambiguous.
	if (text.includes("~") && text !== value) throw new NotPlain();
	return text.includes("~") && text === value ? text : spell(value);
}
