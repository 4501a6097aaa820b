// Every message of the product, as its source writes it, and every recorded screen: one word for one thing, one format for each kind of
// figure, and nothing internal.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path/posix";
import { type Node, parseSync } from "oxc-parser";
import { expect, it } from "vitest";
import { faultsOf } from "./glossary.ts";
import { programs } from "./source-files.ts";

/** Sources whose texts are notation of their own: programs and shells, queries, styles and scripts of pages. */
const notation =
	/footprint\/src\/(?!effects)|postgres\/src\/(?:schema|rights|upkeep|quota)\.ts|(?:style|live-script|seatbelt|tool-names|own-home|inferred-effects|plain-words)\.ts$/;

/** The texts of a tree; an expression in a template stands in braces. */
function textsOf(node: unknown): string[] {
	if (Array.isArray(node)) return node.flatMap(textsOf);
	if (node === null || typeof node !== "object" || !("type" in node)) return [];
	const tree = node as Node;
	if (tree.type === "Literal") return typeof tree.value === "string" ? [tree.value] : [];
	if (tree.type === "ImportDeclaration" || tree.type === "TSLiteralType") return [];
	const inside = Object.values(tree).flatMap(textsOf);
	if (tree.type !== "TemplateLiteral") return inside;
	const parts = tree.quasis.map(({ value }, n) => `${value.cooked}${placeholder(tree.expressions[n])}`);
	return [parts.join(""), ...inside];
}

/** `{name}` for a name in a template, `{}` for another expression; nothing behind the last part. */
function placeholder(expression: Node | undefined): string {
	if (!expression) return "";
	if (expression.type === "Identifier") return `{${expression.name}}`;
	if (expression.type !== "MemberExpression" || !("name" in expression.property)) return "{}";
	const of = expression.object.type === "Identifier" ? `${expression.object.name}.` : "";
	return `{${of}${expression.property.name}}`;
}

/** What a person reads of a text: without the marks of pages, quotations and paths, which are what somebody has named. */
function readable(text: string): string {
	return text.replace(/<[^>]*>/g, " ").replace(/`[^`]*`|"[^"]*"|\S*\/\S*/g, "_");
}

/** A sentence or a label: not a query, not a list of bare words, not a code in small letters, not the name of an error. */
const isProse = (text: string): boolean =>
	(/[a-z}{,.:] [a-z{]/.test(text) || /^[A-Z][a-z]+(?:\W.*)?$/.test(text)) &&
	!/\b(?:SELECT|INSERT|UPDATE|DELETE) |^Add-Type/.test(text) &&
	!/^(?:\w+ ){12,}/.test(text);

/** Programs beside the sources: `npm start`, and the command before its bundle is loaded. */
const beside = ["scripts", "packages/pi-chronicle", "packages/pi-chronicle/bin"].flatMap((folder) =>
	readdirSync(folder)
		.filter((name) => /^(?:start|kill|prepare|extension|worker|pi-chronicle).*\.(?:ts|mjs)$/.test(name))
		.map((name) => join(folder, name)),
);

const messages = [
	...[...programs].filter(([path]) => !notation.test(path)),
	...beside.map((path) => [path, parseSync(path, readFileSync(path, "utf8")).program] as const),
].flatMap(([path, program]) =>
	textsOf(program.body)
		.filter(isProse)
		.map((text) => ({ path, text })),
);

it("every message keeps to the glossary and the formats, and shows nothing internal", () => {
	expect(messages.length).toBeGreaterThan(3000);
	const wrong = messages.flatMap(({ path, text }) =>
		faultsOf(readable(text)).map((fault) => `${path}: ${fault}: ${text}`),
	);
	expect(wrong).toEqual([]);
});

it("what the list says of the package's definitions does so too", () => {
	const root = "packages/pi-chronicle/definitions";
	const abouts = readdirSync(root, { recursive: true, encoding: "utf8" })
		.filter((name) => /\.ya?ml$/.test(name))
		.flatMap((name) => /^description: *(.+(?:\n +.+)*)/m.exec(readFileSync(join(root, name), "utf8"))?.[1] ?? []);
	expect(abouts.length).toBeGreaterThan(8);
	expect(abouts.flatMap((about) => faultsOf(readable(about)).map((fault) => `${fault}: ${about}`))).toEqual([]);
});

/** The status row of pi itself. */
const ofPi = /\d%\/\d+k \(auto\)/;

const recorded = ["snapshots", "screens"].flatMap((folder) => {
	const root = `packages/pi-chronicle/test/tui/${folder}`;
	return readdirSync(root, { recursive: true, encoding: "utf8" })
		.filter((name) => name.endsWith(".txt"))
		.map((name) => join(root, name));
});

it("every recorded screen does so too", () => {
	expect(recorded.length).toBeGreaterThan(80);
	const wrong = recorded.flatMap((path) =>
		readFileSync(path, "utf8")
			.split("\n")
			.filter((line) => !ofPi.test(line))
			.flatMap((line) => faultsOf(readable(line)).map((fault) => `${path}: ${fault}: ${line.trim()}`)),
	);
	expect(wrong).toEqual([]);
});
