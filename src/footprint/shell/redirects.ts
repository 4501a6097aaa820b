// Redirections: which files they open, and what standard input and output become.
import type { Redirection } from "unbash";
import { absolutePaths, accessWord, harmOf, isStream } from "../places.ts";
import { isKnown, spell, UNKNOWN_VALUE } from "../text.ts";
import { onDisk } from "./contents.ts";
import type { State } from "./state.ts";
import type { ShellWalk } from "./walk.ts";
import { expandBody, expandText, expandWord } from "./words.ts";

export interface Streams {
	readonly stdin: string;
	/** `captured`: what the command prints reaches whoever reads the whole command's output. */
	readonly stdout: "captured" | "redirected";
	/** Tells what the command printed, once it is known: it is in the files that its output went to. */
	keep(out: string): void;
}

function descriptor(fd: string): string {
	return `/dev/fd/${fd.replace(/-$/, "")}`;
}

/** Records what redirections open and answers the streams of the command. */
export function applyRedirects(
	walk: ShellWalk,
	redirects: readonly Redirection[],
	state: State,
	stdin: string,
	by: string,
): Streams {
	if (redirects.length === 0) return { stdin, stdout: "captured", keep: () => {} };
	const { record } = walk;
	const expansion = walk.expansion(stdin);
	let input = stdin;
	let stdout: Streams["stdout"] = "captured";
	const outputs: { path: string; fresh: boolean }[] = [];

	const open = (target: string, access: "read" | "write", replaces: boolean): readonly string[] => {
		if (state.elsewhere) return [];
		if (/^\/dev\/(tcp|udp)\//.test(target)) {
			// The shell opens a connection there, and what is written is sent.
			if (access === "write")
				record.run({ program: by, args: [], text: `${by} > ${spell(target)}`, effects: [], changes: ["remote"] });
			return [];
		}
		const paths = accessWord(record, access, target, state.cwd, by, replaces ? { replaces } : undefined);
		const harms = access === "write" ? paths.map((path) => harmOf(path, record.host.home, !replaces)) : [];
		const effects = [...new Set(harms.flatMap((harm) => (harm ? [harm] : [])))];
		if (effects.length > 0)
			record.run({ program: by, args: [], text: `${by} > ${spell(target)}`, effects, changes: [] });
		return paths;
	};
	/** Text that is read from a descriptor: standard input, or one that other commands name. */
	const give = (fd: number | undefined, text: string) => {
		if (fd === 0) input = text;
		else if (fd !== undefined) walk.remember(descriptor(String(fd)), text);
	};
	for (const redirect of redirects) {
		const fd = redirect.descriptor?.type === "FileDescriptor" ? redirect.descriptor.value : undefined;
		const named = redirect.descriptor?.type === "FileDescriptorVariable";
		if (redirect.type === "HereString") {
			const texts = redirect.target ? expandText(redirect.target, state, expansion) : [""];
			give(named ? undefined : (fd ?? 0), texts.length === 1 ? `${texts[0]}\n` : UNKNOWN_VALUE);
			continue;
		}
		if (redirect.type === "HereDoc") {
			const { body } = redirect;
			const texts = body.parts ? expandBody(body.parts, state, expansion) : [body.text];
			const text = texts.length === 1 ? (texts[0] ?? "") : UNKNOWN_VALUE;
			give(named ? undefined : (fd ?? 0), redirect.operator === "<<-" ? text.replace(/^\t+/gm, "") : text);
			continue;
		}
		if (!redirect.target) continue;
		if (!record.spend(4)) break;
		const { operator } = redirect;
		const writes = operator !== "<" && operator !== "<&";
		const globbed = expandWord(redirect.target, state, expansion).flat();
		// Shells other than bash take the target as it stands.
		const plain = state.dialect === "any" ? expandText(redirect.target, state, expansion) : [];
		const targets = new Set([...globbed, ...plain]);
		for (const target of targets) {
			if ((operator === "<&" || operator === ">&") && /^(\d+-?|-)$/.test(target)) {
				if (operator === "<&" && !named && (fd ?? 0) === 0)
					input = target === "-" ? "" : (walk.written(descriptor(target)) ?? UNKNOWN_VALUE);
				// `>&2` sends the output where standard error goes: no command reads it there.
				if (operator === ">&" && !named && (fd ?? 1) === 1) stdout = "redirected";
				continue;
			}
			if (operator === "<") {
				const paths = open(target, "read", false);
				const known = walk.connected(target) ?? (paths.length === 1 && paths[0] ? walk.written(paths[0]) : undefined);
				give(
					named ? undefined : (fd ?? 0),
					isKnown(target) && target === "/dev/null" ? "" : (known ?? onDisk(walk, target, state)),
				);
				continue;
			}
			if (operator === "<>") {
				open(target, "read", false);
				open(target, "write", false);
				if (!named && (fd ?? 0) === 0) input = UNKNOWN_VALUE;
				continue;
			}
			if (!writes) continue;
			const fresh = operator !== ">>" && operator !== "&>>";
			const paths = open(target, "write", fresh);
			const out = operator === "&>" || operator === "&>>" || (!named && (fd ?? 1) === 1);
			if (!out) continue;
			stdout =
				isKnown(target) && isStream(target) && target !== "/dev/null" && target !== "/dev/stderr"
					? stdout
					: "redirected";
			for (const path of absolutePaths(target, state.cwd, record) ?? paths) outputs.push({ path, fresh });
		}
	}
	return {
		stdin: input,
		stdout,
		keep(out) {
			for (const { path, fresh } of outputs) {
				const before = fresh ? "" : (walk.written(path) ?? (walk.host.kind(path) === undefined ? "" : UNKNOWN_VALUE));
				walk.remember(path, before + out);
				if (fresh && out === "") record.emptied(path);
			}
		},
	};
}
