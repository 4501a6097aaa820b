// Rewrites imports through an index as if from the file behind it. Bundled or not, an index with everything it lists is one piece: each pi would
// load at its start what only a command needs, and the command line pi's own packages.
import { readFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const packages = fileURLToPath(new URL("../packages", import.meta.url));

const everything = /^export \* from "(\.{1,2}\/[^"]*)";/gm;
const declared = /^export (?:async )?(?:function\*?|class|const) ([\w$]+)/gm;
const statement =
	/^(import|export)\s+\{([^}]*)\}\s+from\s+"(\.{1,2}\/[^"]*|@pi-chronicle\/(?:core|footprint)[^"]*)";/gm;

/** The esbuild plugin; it touches the files below `folder` (absolute) only. */
export function directImports(folder) {
	const rewrite = directImporter();
	return {
		name: "direct-imports",
		setup(build) {
			build.onResolve({ filter: /^(@pi-chronicle\/|pi-chronicle\/local$)/ }, ({ path, kind }) =>
				kind === "dynamic-import" ? undefined : { path: sourceOf("", path) },
			);
			build.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
				if (!path.startsWith(folder)) return undefined;
				return {
					contents: await rewrite(path, await readFile(path, "utf8")),
					loader: "ts",
					resolveDir: dirname(path),
				};
			});
		},
	};
}

/** Opens a rewriter that remembers what indexes list: `(absolute path, its text) → text` with absolute paths for what was behind an index. */
export function directImporter() {
	const lists = new Map();
	/** What a file exports: name → file and name there. Followed through what it exports of others. */
	const listOf = (path) => {
		if (!lists.has(path)) lists.set(path, readList(path));
		return lists.get(path);
	};
	const readList = async (path) => {
		const code = await readFile(path, "utf8");
		const list = new Map(declarationsOf(path, code));
		for (const [, from] of code.matchAll(everything))
			for (const [as, known] of await listOf(resolve(dirname(path), from))) list.set(as, known);
		for (const [, kind, names, from] of code.matchAll(statement)) {
			if (kind !== "export") continue;
			const file = sourceOf(path, from);
			for (const { name, as } of namesIn(names)) list.set(as, await origin(file, name));
		}
		return list;
	};
	const origin = async (file, name) => (isIndex(file) ? (await listOf(file)).get(name) : undefined) ?? { file, name };

	return async (path, code) => {
		const found = [...code.matchAll(statement)].filter(([, , , from]) => isIndex(sourceOf(path, from)));
		const direct = await Promise.all(
			found.map(async ([, kind, names, from]) => {
				const index = sourceOf(path, from);
				const wanted = await Promise.all(
					namesIn(names).map(async ({ name, as }) => ({ as, ...(await origin(index, name)) })),
				);
				return wanted.map(({ file, name, as }) => `${kind} { ${name} as ${as} } from "${file}";`).join(" ");
			}),
		);
		let at = 0;
		return code.replaceAll(statement, (whole, _kind, _names, from) =>
			isIndex(sourceOf(path, from)) ? direct[at++] : whole,
		);
	};
}

/** The source that `specifier` names in the file at `path`: a relative one, or one of a package of this project. */
export function sourceOf(path, specifier) {
	if (specifier === "pi-chronicle/local") return join(packages, "pi-chronicle", "src", "local", "public.ts");
	const [, name, part = ""] = /^@pi-chronicle\/([^/]+)(\/.*)?$/.exec(specifier) ?? [];
	return name === undefined ? resolve(dirname(path), specifier) : join(packages, name, "src", part, "index.ts");
}

function isIndex(path) {
	return /(^|\/)index\.ts$/.test(path);
}

/** `a, type B, c as d` without the types, which are gone at run time. */
function namesIn(list) {
	return list
		.replaceAll(/\/\/.*$|\/\*[\s\S]*?\*\//gm, "")
		.split(",")
		.map((part) => part.trim())
		.filter((part) => part !== "" && !part.startsWith("type "))
		.map((part) => {
			const [name, as = name] = part.split(/\s+as\s+/);
			return { name, as };
		});
}

function declarationsOf(file, code) {
	return [...code.matchAll(declared)].map(([, name]) => [name, { file, name }]);
}
