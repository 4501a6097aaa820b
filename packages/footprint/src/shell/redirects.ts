// Redirections: which files they open, and what standard input and output become.
import type { Redirection } from "unbash";
import type { ChangeKind, Effect } from "../effects.ts";
import { absolutePaths, accessVerb, harmOf, isStream } from "../places.ts";
import { isKnown, spell, UNKNOWN_VALUE } from "../text.ts";
import { onDisk } from "./contents.ts";
import type { Expansion } from "./expansion.ts";
import { expandBody, expandText } from "./fragments.ts";
import type { State } from "./state.ts";
import type { ShellWalk } from "./walk.ts";
import { expandWord } from "./words.ts";

export interface Streams {
	readonly stdin: string;
	/** `captured`: the command's output is part of the output of the enclosing command. */
	readonly stdout: "captured" | "redirected";
	/** Writes the command's output to the files that it was redirected to. */
	keep(output: string): void;
}

/** The streams of one command while its redirections are applied, in order. */
interface OpenStreams {
	readonly walk: ShellWalk;
	readonly state: State;
	readonly expansion: Expansion;
	/** The command that the redirections belong to. */
	readonly by: string;
	stdin: string;
	stdout: Streams["stdout"];
	readonly outputs: { readonly path: string; readonly fresh: boolean }[];
}

type HereText = Extract<Redirection, { type: "HereDoc" | "HereString" }>;
type FileRedirect = Extract<Redirection, { type: "Redirect" }>;

/** The descriptor that a redirection opens: its number, the operator's default if it names none, `undefined` if a variable holds it. */
function descriptorOf({ descriptor }: Redirection, own: number): number | undefined {
	if (descriptor?.type === "FileDescriptorVariable") return undefined;
	return descriptor?.type === "FileDescriptor" ? descriptor.value : own;
}

/** Records what redirections open and returns the streams of the command. */
export function applyRedirects(
	walk: ShellWalk,
	redirects: readonly Redirection[],
	state: State,
	stdin: string,
	by: string,
): Streams {
	if (redirects.length === 0) return { stdin, stdout: "captured", keep: () => {} };
	const expansion = walk.expansion(state, stdin);
	const streams: OpenStreams = { walk, state, expansion, by, stdin, stdout: "captured", outputs: [] };
	for (const redirect of redirects) {
		if (redirect.type !== "Redirect") setInput(streams, descriptorOf(redirect, 0), hereText(redirect, expansion));
		else if (redirect.target) {
			if (!walk.record.spend(4)) break;
			for (const target of redirectTargets(redirect, streams)) redirectTo(streams, redirect, target);
		}
	}
	return {
		stdin: streams.stdin,
		stdout: streams.stdout,
		keep: (output) => keepOutput(streams, output),
	};
}

function keepOutput({ walk, outputs }: OpenStreams, output: string): void {
	for (const { path, fresh } of outputs) {
		const before = fresh ? "" : (walk.written(path) ?? (walk.host.kind(path) === undefined ? "" : UNKNOWN_VALUE));
		walk.remember(path, before + output);
		if (fresh && output === "") walk.record.emptied(path);
	}
}

/** The text of a here-string or here-document. */
function hereText(redirect: HereText, expansion: Expansion): string {
	if (redirect.type === "HereString") {
		const texts = redirect.target ? expandText(redirect.target, expansion) : [""];
		return texts.length === 1 ? `${texts[0]}\n` : UNKNOWN_VALUE;
	}
	const { body } = redirect;
	const texts = body.parts ? expandBody(body.parts, expansion) : [body.text];
	const text = texts.length === 1 ? (texts[0] ?? "") : UNKNOWN_VALUE;
	return redirect.operator === "<<-" ? text.replace(/^\t+/gm, "") : text;
}

/** Sets the text of a descriptor: standard input, or one that other commands name. */
function setInput(streams: OpenStreams, descriptor: number | undefined, text: string): void {
	if (descriptor === 0) streams.stdin = text;
	else if (descriptor !== undefined) streams.walk.remember(descriptorPath(String(descriptor)), text);
}

function descriptorPath(descriptor: string): string {
	return `/dev/fd/${descriptor.replace(/-$/, "")}`;
}

/** The files that a redirection may name, each once. */
function redirectTargets({ target }: FileRedirect, { state, expansion }: OpenStreams): ReadonlySet<string> {
	if (!target) return new Set();
	const globbed = expandWord(target, expansion).flat();
	// Shells other than bash take the target literally.
	return new Set(state.dialect === "any" ? [...globbed, ...expandText(target, expansion)] : globbed);
}

function redirectTo(streams: OpenStreams, redirect: FileRedirect, target: string): void {
	const { operator } = redirect;
	switch (operator) {
		case "<&":
		case ">&":
			if (/^(\d+-?|-)$/.test(target)) duplicate(streams, redirect, target);
			else if (operator === ">&") openOutput(streams, redirect, target);
			return;
		case "<":
			openInput(streams, descriptorOf(redirect, 0), target);
			return;
		case "<>":
			open(streams, target, "read", false);
			open(streams, target, "write", false);
			if (descriptorOf(redirect, 0) === 0) streams.stdin = UNKNOWN_VALUE;
			return;
		default:
			openOutput(streams, redirect, target);
	}
}

/** `<&3`, `>&2`, `<&-` */
function duplicate(streams: OpenStreams, redirect: FileRedirect, target: string): void {
	if (redirect.operator === "<&") {
		if (descriptorOf(redirect, 0) !== 0) return;
		streams.stdin = target === "-" ? "" : (streams.walk.written(descriptorPath(target)) ?? UNKNOWN_VALUE);
	}
	// `>&2` sends the output to standard error, which no command reads.
	else if (descriptorOf(redirect, 1) === 1) streams.stdout = "redirected";
}

function openInput(streams: OpenStreams, descriptor: number | undefined, target: string): void {
	const { walk, state } = streams;
	const [path, ...others] = open(streams, target, "read", false);
	const written = path && others.length === 0 ? walk.written(path) : undefined;
	const text = walk.connected(target) ?? written ?? onDisk(walk, target, state);
	setInput(streams, descriptor, target === "/dev/null" ? "" : text);
}

function openOutput(streams: OpenStreams, redirect: FileRedirect, target: string): void {
	const { operator } = redirect;
	const fresh = operator !== ">>" && operator !== "&>>";
	const paths = open(streams, target, "write", fresh);
	const both = operator === "&>" || operator === "&>>";
	if (!both && descriptorOf(redirect, 1) !== 1) return;
	const passesOn = isKnown(target) && isStream(target) && target !== "/dev/null" && target !== "/dev/stderr";
	if (!passesOn) streams.stdout = "redirected";
	for (const path of absolutePaths(target, streams.state.cwd, streams.walk.record) ?? paths)
		streams.outputs.push({ path, fresh });
}

/** Records that a file is opened; returns its possible paths. */
function open(
	{ walk: { record }, state, by }: OpenStreams,
	target: string,
	kind: "read" | "write",
	replaces: boolean,
): readonly string[] {
	if (state.elsewhere) return [];
	const recordRun = (effects: readonly Effect[], changes: readonly ChangeKind[]) =>
		record.run({ program: by, text: `${by} > ${spell(target)}`, effects, changes });
	if (/^\/dev\/(tcp|udp)\//.test(target)) {
		// The shell opens a connection there and sends the written text.
		const isLocal = /^\/dev\/\w+\/(?:localhost|127\.|\[?::1)/.test(target);
		const isShell = /^(?:exec|command group|(?:\S*\/)?(?:ba|z|k|da)?sh)\b/.test(by);
		recordRun(isShell && !isLocal ? ["remote-shell"] : [], kind === "write" ? ["remote"] : []);
		return [];
	}
	const paths = accessVerb(record, kind, target, state.cwd, by, replaces ? { replaces } : undefined);
	if (kind === "read") return paths;
	const harms = paths.flatMap((path) => harmOf(path, record.host, !replaces) ?? []);
	if (harms.length > 0) recordRun([...new Set(harms)], []);
	return paths;
}
