// tiny-args 1.4.0

/** Splits arguments: `{ options: { top: 3 }, rest: ["file"] }`. `kinds` names the options: "number", "text" or "flag". */
export function parseArgs(args, kinds) {
	const options = {};
	const rest = [];
	for (let at = 0; at < args.length; at++) {
		const name = args[at].startsWith("--") ? args[at].slice(2) : undefined;
		if (name === undefined || !(name in kinds)) rest.push(args[at]);
		else if (kinds[name] === "flag") options[name] = true;
		else options[name] = kinds[name] === "number" ? Number(args[++at]) : args[++at];
	}
	return { options, rest };
}
