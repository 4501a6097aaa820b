// The help lines about options. They are the only description of an option: `  --name <value>  about` takes a value, `  --name  about` does not,
// and `--name [path]` takes a path if one follows; several options may share a line. Pure.

type OptionKind = "flag" | "value" | "path";
export type OptionKinds = Readonly<Record<string, OptionKind>>;

/** The options that start a help line, and the rest of it; no options in a line that continues another. */
function splitLine(line: string): { readonly options: string; readonly about: string } {
	const [, options = "", about = line] = /^ {2}((?:--[a-z-]+(?: [<[][^>\]]*[>\]])?,? +)+)(.*)$/.exec(line) ?? [];
	return { options: options.trim(), about };
}

/** The options that help lines describe. */
export function optionsIn(usage = ""): OptionKinds {
	const written = usage.split("\n").flatMap((line) => [...splitLine(line).options.matchAll(/--([a-z-]+)( [<[])?/g)]);
	const kindOf = (value: string | undefined): OptionKind =>
		value === undefined ? "flag" : value === " [" ? "path" : "value";
	return Object.fromEntries(written.map(([, name = "", value]) => [name, kindOf(value)]));
}

/** Aligns the descriptions. A long group of options keeps its line. */
export function alignOptions(usage: string): string {
	const rows = usage.split("\n").map(splitLine);
	const width = Math.max(...rows.map(({ options }) => (options.length > 20 ? 0 : options.length)));
	return rows.map(({ options, about }) => (options === "" ? about : `  ${options.padEnd(width)}  ${about}`)).join("\n");
}
