// The source as parsed modules, for the tests of its structure.
import { readdirSync, readFileSync } from "node:fs";
import { join, normalize } from "node:path/posix";
import { parseSync } from "oxc-parser";

/** Paths of all source files, relative to the checkout. */
export const files = ["footprint", "core", "postgres", "pi-chronicle"].flatMap((name) =>
	readdirSync(`packages/${name}/src`, { recursive: true, encoding: "utf8" })
		.filter((path) => path.endsWith(".ts"))
		.map((path) => join("packages", name, "src", path.replaceAll("\\", "/"))),
);

export const texts = new Map(files.map((path) => [path, readFileSync(path, "utf8")]));
export const programs = new Map([...texts].map(([path, text]) => [path, parseSync(path, text).program]));

/** What a file imports or exports from, at once or later (`import()`), values or types: paths of sources, and names of modules. */
export function importsOf(path: string): readonly string[] {
	const now = (programs.get(path)?.body ?? []).flatMap((node) =>
		"source" in node && node.source ? [node.source.value] : [],
	);
	const later = [...(texts.get(path) ?? "").matchAll(/\bimport\("([^"]+)"\)/g)].map(([, from = ""]) => from);
	return [...now, ...later].map((from) => (from.startsWith(".") ? normalize(join(path, "..", from)) : sourceOf(from)));
}

/** The source behind the name of a package of this project; another name as it is. */
function sourceOf(name: string): string {
	if (name === "pi-chronicle/local") return "packages/pi-chronicle/src/local/public.ts";
	const [, own, part = ""] = /^@pi-chronicle\/([^/]+)(\/.*)?$/.exec(name) ?? [];
	return own === undefined ? name : join("packages", own, "src", part, "index.ts");
}
