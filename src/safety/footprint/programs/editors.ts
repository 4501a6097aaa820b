// Editors: streams that may edit in place (sed, awk, perl -i), patch, and screens that wait for a person.
import { HOLE, isKnown } from "../text.ts";
import { abbreviating, type Call, type Programs } from "./program.ts";

/** `sed`: scripts by `-e`, `-f` or as the first operand; files are read, or written with `-i`. */
function sed(call: Call): void {
	const scripts = call.values("-e --expression");
	const inPlace = call.has("-i --in-place -I");
	// BSD's `-i ''` takes its suffix as a word.
	const operands = inPlace && call.operands[0] === "" ? call.operands.slice(1) : call.operands;
	const byOption = scripts.length > 0 || call.has("-f --file");
	const all = byOption ? scripts : operands.slice(0, 1);
	const files = byOption ? operands : operands.slice(1);
	for (const file of files) {
		call.play("read", file);
		if (inPlace) call.play("write", file);
	}
	for (const script of all) sedScript(call, script);
	if (call.has("-f --file")) call.unknown("script", "sed -f", ["read", "write"]);
}

/** Longer scripts are not searched for what they open. */
const MAX_SCRIPT = 3000;

/** `w file`, `r file`, `e` and the flags `w` and `e` of `s`: what a sed script opens and runs. */
function sedScript(call: Call, script: string): void {
	if (!isKnown(script) || script.length > MAX_SCRIPT) {
		call.unknown("script", script);
		return;
	}
	for (const line of script.split("\n")) {
		const file = /(?:^|[;{}0-9$/!,\s])[wW]\s*([^;}\s][^;}]*)/.exec(stripped(line));
		if (file?.[1]) call.play("replace", file[1].trim());
		const source = /(?:^|[;{}0-9$/!,\s])[rR]\s+([^;}\s][^;}]*)/.exec(stripped(line));
		if (source?.[1]) call.play("read", source[1].trim());
		for (const { flags } of substitutions(line)) {
			const written = /w\s*(\S.*)$/.exec(flags);
			if (written?.[1]) call.play("replace", written[1].trim());
			if (/^[gpiImM0-9]*e/.test(flags)) call.unknown("script", line);
		}
		const command = /(?:^|[;{}0-9$/!,])\s*e(?:\s+(.+))?$/.exec(stripped(line));
		if (command) command[1] ? call.script(command[1]) : call.unknown("script", line);
	}
}

/** A line of sed without its substitutions, transliterations and addresses, so that their text is not taken for commands. */
function stripped(line: string): string {
	let text = line;
	for (const { start, end } of [...substitutions(line)].reverse()) text = `${text.slice(0, start)};${text.slice(end)}`;
	return text.replace(/\/(?:[^/\\]|\\.)*\//g, "/").replace(/^\s*[aic]\b.*$/, "");
}

function substitutions(line: string): { start: number; end: number; flags: string }[] {
	const found: { start: number; end: number; flags: string }[] = [];
	const opening = /(?:^|[;{}\s0-9$/!,])([sy])([^\w\s\\])/g;
	for (let match = opening.exec(line); match; match = opening.exec(line)) {
		const delimiter = match[2] ?? "/";
		let at = match.index + match[0].length;
		for (let part = 0; part < 2; part++) {
			while (at < line.length && line[at] !== delimiter) at += line[at] === "\\" ? 2 : 1;
			at++;
		}
		const flags = /^[gpiImMe0-9]*(?:w\s*[^;}]+)?/.exec(line.slice(at))?.[0] ?? "";
		found.push({ start: match.index + match[0].length - 2, end: at + flags.length, flags });
		opening.lastIndex = Math.max(at + flags.length, opening.lastIndex);
		if (found.length > 200) break;
	}
	return found;
}

/** `awk`: its program may print into files and pipes, and run commands. */
function awk(call: Call): void {
	const byFile = call.has("-f --file");
	const [program = "", ...rest] = call.operands;
	const files = byFile ? call.operands : rest;
	const inPlace = call.values("-i --include").includes("inplace");
	for (const file of files) {
		if (/^[A-Za-z_]\w*=/.test(file)) continue;
		call.play("read", file);
		if (inPlace) call.play("write", file);
	}
	if (byFile) {
		call.unknown("script", "awk -f");
		return;
	}
	if (program.length > MAX_SCRIPT) {
		call.unknown("script", program);
		return;
	}
	const code = program.replace(/#[^\n]*/g, "");
	const outsideRegex = code.replace(/~\s*\/(?:[^/\\\n]|\\.)*\//g, "~ R");
	for (const match of outsideRegex.matchAll(/(?:print|printf)\b[^;}\n]*?>>?\s*("([^"\\]|\\.)*"|[^\s;}"]+)/g)) {
		const target = match[1] ?? "";
		if (/^".*"$/s.test(target)) call.play(match[0].includes(">>") ? "write" : "replace", target.slice(1, -1));
		else if (!/^[\d.]+\)?$/.test(target)) call.play("replace", HOLE);
	}
	for (const match of outsideRegex.matchAll(
		/\bsystem\s*\(\s*("(?:[^"\\]|\\.)*")?|\|&?\s*("(?:[^"\\]|\\.)*")|("(?:[^"\\]|\\.)*")\s*\|&?\s*getline/g,
	)) {
		const text = match[1] ?? match[2] ?? match[3];
		const whole = text !== undefined && /^[)\s]/.test(`${outsideRegex.slice(match.index + match[0].length)} `);
		if (text !== undefined)
			call.script(text.slice(1, -1).replace(/\\(.)/g, "$1") + (match[1] === undefined || whole ? "" : HOLE));
		else if (match[0].startsWith("system")) call.unknown("script", program);
	}
	for (const match of outsideRegex.matchAll(/getline\s*(?:\w+\s*)?<\s*"([^"\\]+)"/g)) call.play("read", match[1] ?? "");
	if (!isKnown(program)) call.unknown("script", program);
}

/** An editor that waits for a person: it may write the files it is given and anything else. */
function screen(call: Call): void {
	for (const command of [...call.values("-c --cmd"), ...call.operands.filter((word) => word.startsWith("+"))]) {
		const text =
			/^\+?:*\s*(?:silent!?\s+)?(?:\d*r\s*|%)?!(.+)/s.exec(command)?.[1] ??
			/\bsystem\((["'])(.*?)\1\)/.exec(command)?.[2];
		if (text !== undefined) call.script(text);
	}
	for (const file of call.operands) {
		if (/^\+/.test(file)) continue;
		call.play("read", file);
		call.play("write", file);
	}
	call.unknown("program", call.text);
}

const awkProgram = {
	options: { "-f --file": "read", "-v --assign -F --field-separator -i --include -l --load -E": "text" },
	also: awk,
} as const;

export const editors: Programs = abbreviating({
	"sed gsed": {
		options: { "-e --expression -l --line-length": "text", "-f --file": "read" },
		attached: "-i --in-place -I",
		also: sed,
	},
	"awk gawk mawk nawk": awkProgram,
	ed: { also: screen },
	"ex vi vim nvim view vimdiff nano pico emacs emacsclient micro hx helix kak joe mcedit code cursor windsurf subl zed idea webstorm pycharm gedit kate mate open xdg-open start":
		{
			options: { "-c --cmd --eval -f --funcall --line": "text", "-S -u -s": "read" },
			also: screen,
		},
	patch: {
		operands: { first: ["write", "read"] },
		options: {
			"-i --input": "read",
			"-o --output -r --reject-file": "replace",
			"-d --directory": "directory",
			"-p --strip -F --fuzz -D --ifdef -B --prefix -z --suffix -V": "text",
		},
		changes: ["worktree"],
		when: { "--dry-run -C --check": { harmless: true } },
	},
	sponge: { operands: "replace" },
	sd: {
		operands: { first: ["text", "text"], rest: "write" },
		options: { "-n --max-replacements -f --flags": "text" },
		when: { "-p --preview": { operands: { first: ["text", "text"], rest: "read" } } },
	},
	"codemod jscodeshift": { opaque: "project", changes: ["worktree"] },
});
