// `find` and `fd`: where they look, which names they keep to, and what they run, write or delete on the way.
import { isKnown } from "../text.ts";
import type { Call, Program } from "./program.ts";

/** Tests that take a value. */
const valued = new Set(
	"-amin -anewer -atime -cmin -cnewer -context -ctime -fstype -gid -group -ilname -iname -inum -ipath -iregex -iwholename -links -lname -maxdepth -mindepth -mmin -mtime -name -newer -path -perm -regex -regextype -samefile -size -type -uid -used -user -wholename -xtype -printf -D -newermt -newerat -newerct -files0-from".split(
		" ",
	),
);

/** The globs that names must match to be found, or `any`. */
type Names = readonly string[] | "any";

/** `find`: roots first, then an expression whose actions may run, write or delete. */
function findByExpression(call: Call): void {
	const { args } = call;
	let at = 0;
	const roots: string[] = [];
	while (/^-([HLP]|O\d?)$/.test(args[at] ?? "")) at++;
	for (; at < args.length && !/^[-(!]/.test(args[at] ?? ""); at++)
		roots.push((args[at] ?? "").replace(/(.)\/+$/, "$1"));
	if (roots.length === 0) roots.push(".");
	const expression = args.slice(at);
	const names = namesOf(expression);
	const keeps = names === "any" ? {} : { only: names };
	const depth = expression[expression.indexOf("-maxdepth") + 1];
	const recursive = !expression.includes("-maxdepth") || depth !== "0";
	const below = (root: string) => (recursive ? `${root === "/" ? "" : root}/${call.found(keeps)}` : root);
	for (const root of roots) call.touch("list", root, { recursive, ...keeps });
	let prints = true;
	for (; at < args.length; at++) {
		const word = args[at] ?? "";
		if (/^-(exec|execdir|ok|okdir)$/.test(word)) {
			let end = at + 1;
			while (end < args.length && args[end] !== ";" && !(args[end] === "+" && args[end - 1] === "{}")) end++;
			for (const root of roots) call.run(args.slice(at + 1, end).map((one) => one.replaceAll("{}", () => below(root))));
			at = end;
			prints = false;
		} else if (word === "-delete") {
			call.effect("recursive-delete");
			for (const root of roots) call.touch("delete", root, { recursive, ...keeps });
			prints = false;
		} else if (/^-(fprint|fprint0|fls)$/.test(word)) call.play("replace", args[++at] ?? "");
		else if (word === "-fprintf") {
			call.play("replace", args[++at] ?? "");
			at++;
		} else if (/^-(newer|anewer|cnewer|samefile)$/.test(word)) call.play("list", args[++at] ?? "");
		else if (word === "-printf" || word === "-ls") prints = false;
		else if (valued.has(word)) at++;
	}
	if (prints) call.prints(roots.map(below).join("\n"));
}

/** What an expression keeps to, by its `-name` tests: of alternatives all, of conditions the first that says something. */
function namesOf(expression: readonly string[]): Names {
	const reader = { words: expression, at: 0 };
	return readAlternatives(reader, 0);
}

interface Reader {
	readonly words: readonly string[];
	at: number;
}

function readAlternatives(reader: Reader, depth: number): Names {
	let all: Names = [];
	for (;;) {
		const names = readConditions(reader, depth);
		all = all === "any" || names === "any" ? "any" : [...all, ...names];
		const word = reader.words[reader.at];
		if (word !== "-o" && word !== "-or" && word !== ",") return all;
		reader.at++;
	}
}

function readConditions(reader: Reader, depth: number): Names {
	let names: Names = "any";
	let last = "";
	for (; reader.at < reader.words.length; ) {
		const word = reader.words[reader.at] ?? "";
		if (word === "-o" || word === "-or" || word === "," || word === ")") break;
		const said = readTest(reader, depth);
		if (names === "any") names = said;
		last = word;
	}
	// What ends in `-prune` is passed over, not found.
	return last === "-prune" ? [] : names;
}

function readTest(reader: Reader, depth: number): Names {
	const word = reader.words[reader.at++] ?? "";
	if (word === "!" || word === "-not") {
		readTest(reader, depth);
		return "any";
	}
	if (word === "(") {
		const names = depth < 50 ? readAlternatives(reader, depth + 1) : "any";
		if (reader.words[reader.at] === ")") reader.at++;
		return names;
	}
	if (/^-(exec|execdir|ok|okdir)$/.test(word)) {
		while (reader.at < reader.words.length && reader.words[reader.at] !== ";" && reader.words[reader.at] !== "+")
			reader.at++;
		reader.at++;
		return "any";
	}
	const value = valued.has(word) ? (reader.words[reader.at++] ?? "") : "";
	if (!isKnown(value) || (word !== "-name" && word !== "-iname")) return "any";
	return [
		word === "-name" ? value : value.replace(/[a-z]/gi, (letter) => `[${letter.toLowerCase()}${letter.toUpperCase()}]`),
	];
}

/** `fd pattern folders…`, with `-x` for a command that runs on what is found. */
function findByPattern(call: Call): void {
	const skips: ("hidden" | "ignored")[] = [];
	if (!call.has("-H --hidden -u --unrestricted")) skips.push("hidden");
	if (!call.has("-I --no-ignore -u --unrestricted")) skips.push("ignored");
	const endings = call.values("-e --extension").map((ending) => `*.${ending}`);
	const detail = { skips, ...(endings.length > 0 && { only: endings }) };
	const at = call.args.findIndex((arg) => ["-x", "-X", "--exec", "--exec-batch"].includes(arg));
	const operands =
		at < 0
			? call.operands
			: call.operands.slice(0, call.args.slice(0, at).filter((arg) => call.operands.includes(arg)).length);
	const folders = [...call.values("--search-path --base-directory"), ...operands.slice(1)];
	const roots = folders.length > 0 ? folders : ["."];
	for (const root of roots) call.touch("list", root, { recursive: true, ...detail });
	const found = roots.map((root) => `${root.replace(/\/+$/, "")}/${call.found(detail)}`);
	if (at < 0) {
		call.prints(found.join("\n"));
		return;
	}
	const words = call.args.slice(at + 1).filter((word) => word !== ";");
	for (const place of found) {
		const placed = words.map((word) => word.replace(/\{[./]*\}/g, () => place));
		call.run(placed.some((word, index) => word !== words[index]) ? placed : [...words, place]);
	}
}

export const find: Program = { dashes: "one", also: findByExpression };

export const fd: Program = {
	options: {
		"-e --extension -t --type -d --max-depth --min-depth --exact-depth -E --exclude -S --size --changed-within --changed-before -c --color -j --threads --owner --max-results --base-directory --search-path":
			"text",
		"--ignore-file": "read",
	},
	also: findByPattern,
};
