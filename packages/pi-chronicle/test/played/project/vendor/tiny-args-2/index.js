// tiny-args 2.0.0

/**
 * Splits arguments: `{ values: { top: 3 }, positionals: ["file"] }`. `spec` has one entry for each option: `{ top: { kind: "number" } }`. Throws
 * for an unknown option and for a number that is none.
 */
export function parse(args, spec) {
	const values = {};
	const positionals = [];
	for (let at = 0; at < args.length; at++) {
		const name = args[at].startsWith("--") ? args[at].slice(2) : undefined;
		if (name === undefined) positionals.push(args[at]);
		else if (!(name in spec)) throw new Error(`unknown option --${name}`);
		else if (spec[name].kind === "flag") values[name] = true;
		else values[name] = read(name, spec[name].kind, args[++at]);
	}
	return { values, positionals };
}

function read(name, kind, text) {
	if (text === undefined) throw new Error(`--${name} needs a value`);
	const number = Number(text);
	if (kind === "number" && Number.isNaN(number)) throw new Error(`--${name} needs a number, not ${text}`);
	return kind === "number" ? number : text;
}
