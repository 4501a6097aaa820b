// One field of a file: its type, default, meaning, and reader. The readers, the JSON Schemas, and the reference tables of the
// documentation are all derived from these values.
// An invalid field reports its problem and gives `undefined`; numbers and booleans are never converted to strings.
import { readDuration } from "./duration.ts";
import { quoted } from "./format.ts";
import { didYouMean } from "./near-names.ts";
import { describeNode, type Node } from "./node.ts";
import type { Problem, Report } from "./report.ts";
import type { Source } from "./source.ts";

/** The context of a reader: the source, and the report for problems. */
export interface ReadContext {
	readonly source: Source;
	readonly report: Report;
	/** The full key, for messages: `name`, `tools.blacklist`, `states.planning.next`. */
	readonly path: string;
}

export type JsonSchema = { readonly [key: string]: unknown };

export interface Field<T> {
	/** Its meaning: one or two sentences of Markdown. */
	readonly about: string;
	/** Its type, for display: `string`, `list of names`. */
	readonly type: string;
	readonly required: boolean;
	/** The value if the key is absent. */
	readonly fallback: T;
	/** Its default, for display; `undefined`: derived from `fallback`. */
	readonly shown: string | undefined;
	/** Severity of a key without a value: an error if omitting the value would lift a limit. */
	readonly empty: "error" | "warning";
	/** JSON Schema of the value. */
	readonly schema: JsonSchema;
	read(node: Node, reading: ReadContext): T | undefined;
}

export interface Common<T> {
	readonly about: string;
	readonly required?: true;
	readonly fallback?: T;
	readonly shown?: string;
	readonly empty?: "error";
}

/** The type of a field's value: `T`, or `T | undefined` if the field is optional without a default. */
export type Given<T, O> = O extends { required: true } ? T : O extends { fallback: unknown } ? T : T | undefined;

/** Creates a field from its options and its reader. Only this function types defaults: an absent default is `undefined`. */
export function field<T, O extends Common<T>>(
	options: O,
	type: string,
	schema: JsonSchema,
	read: (node: Node, reading: ReadContext) => T | undefined,
): Field<Given<T, O>> {
	return {
		about: options.about,
		type,
		required: options.required === true,
		fallback: options.fallback as Given<T, O>,
		shown: options.shown,
		empty: options.required ? "error" : (options.empty ?? "warning"),
		schema: {
			description: options.about.replace(/\[([^\]]+)\]\([^)]*\)/g, "$1"),
			...schema,
			...(options.fallback === undefined || typeof options.fallback === "object" ? {} : { default: options.fallback }),
		},
		read: (node, reading) => read(node, reading) as Given<T, O> | undefined,
	};
}

/** Reports that a node does not have the type that the field expects. */
export function wrongType(node: Node, reading: ReadContext, wanted: string, remedy: string): undefined {
	reading.report.error(reading.source.place(node.start), {
		code: "wrong-type",
		message: `\`${reading.path}\` must be ${wanted}, but is ${describeNode(node)}.`,
		remedy,
	});
	return undefined;
}

interface TextOptions extends Common<string> {
	/** `text`: anything. `line`: spaces and line breaks become single spaces, and other control characters are refused. */
	readonly form?: "text" | "line";
	readonly blank?: "allowed";
	readonly pattern?: RegExp;
	/** Describes the pattern in messages: `letters, digits, - and _`. */
	readonly allows?: string;
	/** In characters (code points). */
	readonly max?: number;
}

/** A string field. */
export function text<const O extends TextOptions>(options: O): Field<Given<string, O>> {
	const schema = {
		type: "string",
		...(options.pattern ? { pattern: options.pattern.source } : options.blank ? {} : { pattern: "\\S" }),
		...(options.max ? { maxLength: options.max } : {}),
	};
	return field<string, O>(options, "string", schema, (node, reading) => readTextField(node, reading, options));
}

function readTextField(node: Node, reading: ReadContext, options: TextOptions): string | undefined {
	if (node.kind !== "scalar") {
		const written = reading.source.text.slice(node.start, node.end).split("\n", 1)[0] ?? "";
		const remedy = /^[[{]/.test(written)
			? `A value that starts with \`${written.charAt(0)}\` needs quotes: \`"${written.slice(0, 40)}"\`.`
			: "Write one string after the colon.";
		return wrongType(node, reading, "a string", remedy);
	}
	if (typeof node.value !== "string")
		return wrongType(node, reading, "a string", `Put it in quotes: \`"${node.written || "…"}"\`.`);
	const value = options.form === "line" ? node.value.trim().replace(/\s+/g, " ") : node.value;
	const problem = textProblem(value, reading.path, options);
	if (!problem) return value;
	reading.report.error(reading.source.place(node.start), problem);
	return undefined;
}

function textProblem(value: string, path: string, options: TextOptions): Problem | undefined {
	const { pattern, max } = options;
	if (!options.blank && value.trim() === "")
		return { code: "empty-value", message: `\`${path}\` is empty.`, remedy: "Write a value that is not blank." };
	// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused.
	if (options.form === "line" && /[\u0000-\u001f\u007f-\u009f]/.test(value))
		return {
			code: "control-character",
			message: `\`${path}\` contains a control character.`,
			remedy: "Remove it.",
		};
	if (pattern && !pattern.test(value))
		return {
			code: "bad-value",
			message: `\`${path}\` is ${quoted(value)}; allowed are ${options.allows ?? pattern.source}.`,
			remedy: "Choose another value.",
		};
	if (max !== undefined && [...value].length > max)
		return { code: "too-long", message: `\`${path}\` is longer than ${max} characters.`, remedy: "Shorten it." };
	return undefined;
}

/** A boolean field. */
export function flag<const O extends Common<boolean>>(options: O): Field<Given<boolean, O>> {
	return field<boolean, O>(options, "`true` or `false`", { type: "boolean" }, (node, reading) => {
		if (node.kind === "scalar" && typeof node.value === "boolean") return node.value;
		const word = node.kind === "scalar" ? node.written.toLowerCase() : "";
		const meant = /^(no|off|n|0|false)$/.test(word) ? "false" : /^(yes|on|y|1|true)$/.test(word) ? "true" : undefined;
		const remedy = meant ? `Write \`${meant}\`, without quotes.` : "Write `true` or `false`.";
		return wrongType(node, reading, "`true` or `false`", remedy);
	});
}

interface NumberOptions extends Common<number> {
	readonly min?: number;
	readonly max?: number;
}

/** An integer field within bounds. */
export function integer<const O extends NumberOptions>(options: O): Field<Given<number, O>> {
	return numeric(options, "integer", "a whole number");
}

/** A number field within bounds; fractions are allowed. */
export function number<const O extends NumberOptions>(options: O): Field<Given<number, O>> {
	return numeric(options, "number", "a number");
}

function numeric<O extends NumberOptions>(
	options: O,
	type: "integer" | "number",
	noun: string,
): Field<Given<number, O>> {
	const { min, max } = options;
	const bounds =
		min !== undefined && max !== undefined
			? ` from ${min} to ${max}`
			: min !== undefined
				? ` of at least ${min}`
				: max !== undefined
					? ` of at most ${max}`
					: "";
	const schema = {
		type,
		minimum: min,
		maximum: max,
	};
	return field<number, O>(options, `${noun.replace(/^a /, "")}${bounds}`, schema, (node, reading) => {
		const value = node.kind === "scalar" ? node.value : undefined;
		if (typeof value !== "number")
			return wrongType(node, reading, `${noun}${bounds}`, "Write the number in digits, without quotes.");
		const fits =
			Number.isFinite(value) &&
			(type === "number" || Number.isSafeInteger(value)) &&
			value >= (min ?? value) &&
			value <= (max ?? value);
		return fits ? value : wrongType(node, reading, `${noun}${bounds}`, `Write ${noun}${bounds}.`);
	});
}

/** A field with one of several fixed words. */
export function choice<const V extends readonly string[], const O extends Common<V[number]>>(
	values: V,
	options: O,
): Field<Given<V[number], O>> {
	const listed = values.map((value) => `\`${value}\``).join(" or ");
	return field<V[number], O>(options, listed, { enum: values }, (node, reading) => {
		const value = node.kind === "scalar" ? node.value : undefined;
		if (typeof value === "string" && values.includes(value)) return value;
		if (typeof value !== "string") return wrongType(node, reading, listed, `Write ${listed}.`);
		reading.report.error(reading.source.place(node.start), {
			code: "bad-value",
			message: `\`${reading.path}\` is ${quoted(value)}; it must be ${listed}.${didYouMean(value, values)}`,
			remedy: `Write ${listed}.`,
		});
		return undefined;
	});
}

/** The longest time limit of a command, in ms. */
const longestCommand = 24 * 3_600_000;

/** A duration, in ms; see {@link readDuration}. `isLimit`: the time limit of a command: more than 0, at most a day. */
export function duration<const O extends Common<number> & { readonly shown: string }>(
	options: O,
	isLimit = true,
): Field<Given<number, O>> {
	const least = isLimit ? { exclusiveMinimum: 0 } : { minimum: 0 };
	const schema = {
		anyOf: [
			{ type: "number", ...least },
			{ type: "string", pattern: "^[0-9]" },
		],
	};
	return field<number, O>(options, "duration", schema, (node, reading) => {
		const ms = node.kind === "scalar" ? readDuration(node.value) : undefined;
		if (ms !== undefined && (!isLimit || (ms > 0 && ms <= longestCommand))) return ms;
		const wanted = isLimit ? "a duration above 0, at most `24h`" : "a duration";
		return wrongType(node, reading, wanted, "Write `90s`, `10m`, `1h`, or a number of minutes.");
	});
}

/** A field with its own reader. */
export function custom<T, const O extends Common<T>>(
	options: O,
	type: string,
	schema: JsonSchema,
	read: (node: Node, reading: ReadContext) => T | undefined,
): Field<Given<T, O>> {
	return field<T, O>(options, type, schema, read);
}
