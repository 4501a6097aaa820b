// Links a compiled entry and all that it imports statically into one module: Node needs five times as long for 70 small modules.
// Imports have no circles (test/house.test.ts), so each module runs once, after those that it imports; modules keep no state, so a copy in
// the entry and another among the files that are imported later are as good as one, as in the bundle; a statement that is not understood is an
// error: then the sources themselves are loaded.
import { readFile, writeFile } from "node:fs/promises";
import { dirname, relative, resolve, sep } from "node:path";
import { pathToFileURL } from "node:url";

const from = /(?<=^|; )(import|export)\s+(?:\{([^}]*)\}|\*\s+as\s+([\w$]+))\s+from\s+"([^"]+)";?/gm;
const declared = /^export (?=(?:async )?(?:function\b\*?|class\b|const\b) ?([\w$]+))/gm;
const listed = /^export \{([^}]*)\};?$/gm;

/** Replaces the file `entry` (absolute) by one that imports only packages and the files in `outside` (absolute). */
export async function linkModules(entry, outside) {
	const folder = dirname(entry);
	const imported = new Map();
	const linked = new Map();
	const texts = [];

	const importOutside = (specifier) => {
		if (!imported.has(specifier)) imported.set(specifier, `$outside${imported.size}`);
		return imported.get(specifier);
	};
	/** The variable that holds what the module at `path` exports; its text precedes those of its importers. */
	const link = async (path) => {
		if (!linked.has(path)) linked.set(path, await linkModule(path));
		return linked.get(path).variable;
	};
	const linkModule = async (path) => {
		const code = await readFile(path, "utf8");
		const sources = new Map();
		for (const [, , , , specifier] of code.matchAll(from)) {
			const file = specifier.startsWith(".") ? resolve(dirname(path), specifier) : undefined;
			const own = file !== undefined && !outside.includes(file);
			sources.set(specifier, own ? await link(file) : importOutside(file ? specifierOf(folder, file) : specifier));
		}
		const variable = `$module${linked.size}`;
		const { body, exported } = rewrite(code, sources);
		const rest = /^(?:import|export)\b[^(].*/m.exec(body);
		if (rest) throw new Error(`${relative(folder, path)}: ${rest[0]}`);
		const place = JSON.stringify(specifierOf(folder, path));
		const own = body.replaceAll("import.meta.url", `new URL(${place}, import.meta.url).href`);
		texts.push(
			`const ${variable} = (() => {\n${own}\nreturn {${exported.map(({ as, value }) => `${as}: ${value}`)}};\n})();`,
		);
		return { variable, names: exported.map(({ as }) => as) };
	};

	await link(entry);
	const { variable, names } = linked.get(entry);
	const imports = [...imported].map(([specifier, name]) => `import * as ${name} from "${specifier}";`);
	await writeFile(entry, [...imports, ...texts, `export const {${names}} = ${variable};`, ""].join("\n"));
	// It only declares; an error here is one of this file.
	await import(pathToFileURL(entry).href);
}

/** The module's code as the body of a function, and what the module exports: name and expression. `sources`: specifier → variable. */
function rewrite(code, sources) {
	const exported = [];
	const body = code
		.replaceAll(from, (_all, kind, names, whole, specifier) => {
			const source = sources.get(specifier);
			if (kind === "import") return `const ${whole ?? `{${destructured(names)}}`} = ${source};`;
			if (whole) exported.push({ as: whole, value: source });
			else exported.push(...namesIn(names).map(({ name, as }) => ({ as, value: `${source}.${name}` })));
			return "";
		})
		.replaceAll(declared, (_all, name) => {
			exported.push({ as: name, value: name });
			return "";
		})
		.replaceAll(listed, (_all, names) => {
			exported.push(...namesIn(names).map(({ name, as }) => ({ as, value: name })));
			return "";
		});
	return { body, exported };
}

function namesIn(list) {
	return list
		.split(",")
		.map((part) => part.trim().split(/\s+as\s+/))
		.filter(([name]) => name !== "")
		.map(([name, as = name]) => ({ name, as }));
}

function destructured(list) {
	return namesIn(list).map(({ name, as }) => `${name}: ${as}`);
}

function specifierOf(folder, path) {
	return `./${relative(folder, path).split(sep).join("/")}`;
}
