// The source as a whole: no import cycles, no exported name with two meanings, few functions beyond the bounds of the linter.
import type { Node } from "oxc-parser";
import { describe, expect, it } from "vitest";
import { files, importsOf, programs, texts } from "./source-files.ts";

/** A circle of imports as the files on it, each importing the next; `undefined` where there is none. */
function importCircle(): readonly string[] | undefined {
	const done = new Set<string>();
	const walk = (path: string, above: readonly string[]): readonly string[] | undefined => {
		if (above.includes(path)) return [...above.slice(above.indexOf(path)), path];
		if (done.has(path)) return undefined;
		for (const next of importsOf(path)) {
			const circle = walk(next, [...above, path]);
			if (circle) return circle;
		}
		done.add(path);
		return undefined;
	};
	for (const path of files) {
		const circle = walk(path, []);
		if (circle) return circle;
	}
	return undefined;
}

/** The names that a statement introduces as exports: declared by it, or another name for something. */
function declaredExports(node: Node): readonly string[] {
	if (node.type !== "ExportNamedDeclaration") return [];
	if (!node.declaration)
		return node.specifiers.flatMap(({ local, exported }) =>
			exported.type === "Identifier" && (!node.source || !("name" in local) || local.name !== exported.name)
				? [exported.name]
				: [],
		);
	const { declaration } = node;
	if (declaration.type === "VariableDeclaration")
		return declaration.declarations.flatMap(({ id }) => (id.type === "Identifier" ? [id.name] : []));
	return "id" in declaration && declaration.id?.type === "Identifier" ? [declaration.id.name] : [];
}

/** The name of a function or type that a statement declares for its file alone. */
function ownNames(node: Node): readonly string[] {
	if (node.type === "VariableDeclaration")
		return node.declarations.flatMap(({ id, init }) =>
			id.type === "Identifier" && init?.type === "ArrowFunctionExpression" ? [id.name] : [],
		);
	const isOwn = /^(?:Function|Class|TSInterface|TSTypeAlias)Declaration$/.test(node.type);
	return isOwn && "id" in node && node.id?.type === "Identifier" ? [node.id.name] : [];
}

describe("the source", () => {
	it("has no import cycles, including type imports", () => {
		expect(importCircle()).toBeUndefined();
	});

	it("declares every exported name in one file", () => {
		const places = new Map<string, Set<string>>();
		for (const [path, program] of programs)
			for (const name of program.body.flatMap(declaredExports))
				places.set(name, (places.get(name) ?? new Set()).add(path));
		const shared = [...places].filter(([, paths]) => paths.size > 1);
		expect(Object.fromEntries(shared.map(([name, paths]) => [name, [...paths]]))).toEqual({});
	});

	it("has at most 35 names of functions and types that stand for different things in several files", () => {
		const places = new Map<string, Set<string>>();
		for (const [path, program] of programs)
			for (const name of program.body.flatMap(ownNames)) places.set(name, (places.get(name) ?? new Set()).add(path));
		const shared = [...places].filter(([, paths]) => paths.size > 1);
		expect(shared.length, shared.map(([name, paths]) => `${name}: ${[...paths].join(", ")}`).join("\n")).toBeLessThan(
			36,
		);
	});

	it("has at most 15 functions beyond the linter's bounds, each with a reason", () => {
		const exceptions = files.flatMap((path) =>
			(texts.get(path) ?? "")
				.split("\n")
				.filter((line) => /biome-ignore(-\w+)? lint(?!\/(?!complexity))(?!\/complexity\/(?!noExcessive))/.test(line))
				.map((line) => ({ path, reason: line.split(": ").slice(1).join(": ").trim() })),
		);
		expect(exceptions.length).toBeLessThanOrEqual(15);
		for (const { path, reason } of exceptions) expect(reason.length, path).toBeGreaterThan(15);
	});

	it("makes no list of problems but by the rule for all of them, save for a refusal, whose warnings it counts", () => {
		const own = [...texts].filter(([, text]) => /=>\s*`?[^`\n;]*formatDiagnostic\(\w+/.test(text));
		expect(own.map(([path]) => path)).toEqual(["packages/pi-chronicle/src/ui/phrases/check-lines.ts"]);
	});

	it("has at most 400 lines in a file", () => {
		const long = [...texts].filter(([, text]) => text.split("\n").length - 1 > 400);
		expect(long.map(([path]) => path)).toEqual([]);
	});
});
