// Describes the conflicts of a merge: the paths that belong together, the kind of each conflict, and the changes of both sides.

import type { ConflictKind, SideNames } from "@pi-chronicle/core/ports";
import { cutBytes, modes } from "./git.ts";
import type { MergeOutput, MergeStage } from "./merge-output.ts";
import { byPath, foldersAbove } from "./paths.ts";

/** Context lines around a conflict. */
const context = 3;

/** `text` (bytes as latin1) with the names of the sides in git's conflict markers instead of commits. */
export function labelMarkers(text: string, commits: MergeOutput["commits"], names: SideNames): string {
	const label = (name: string): string => Buffer.from(name.replace(/\p{Cc}+/gu, " "), "utf8").toString("latin1");
	const known: readonly (readonly [string, string])[] = [
		[commits.ours, label(names.ours)],
		[commits.theirs, label(names.theirs)],
		[commits.base, "base"],
	];
	return text.replace(
		/^(<{7}|\|{7}|>{7}) ([0-9a-f]{7,64})(?=[:\r\n]|$)/gm,
		(line: string, mark: string, commit: string) => {
			const name = known.find(([full]) => full.startsWith(commit))?.[1];
			return name === undefined ? line : `${mark} ${name}`;
		},
	);
}

/** The conflicts in `text` with some lines around each, at most `bytes` bytes; empty if there are none. */
export function conflictHunks(text: string, bytes: number): string {
	const lines = text.split("\n");
	const shown = new Set<number>();
	let start = -1;
	for (const [at, line] of lines.entries()) {
		if (line.startsWith("<<<<<<< ")) start = at;
		if (!line.startsWith(">>>>>>> ") || start < 0) continue;
		for (let one = Math.max(0, start - context); one <= Math.min(lines.length - 1, at + context); one += 1)
			shown.add(one);
		start = -1;
	}
	let drawn = "";
	let last = -2;
	for (const at of [...shown].sort((a, b) => a - b)) {
		if (at !== last + 1) drawn += `@@ line ${at + 1} @@\n`;
		drawn += `${lines[at]}\n`;
		last = at;
		if (Buffer.byteLength(drawn) > bytes) break;
	}
	return cutBytes(drawn, bytes);
}

/** A conflict before it is described for display. Paths are bytes as latin1. */
export interface Conflict {
	readonly path: string;
	/** Sorted. */
	readonly paths: readonly string[];
	readonly kind: ConflictKind;
	readonly stages: readonly MergeStage[];
}

/** Facts about a conflicted object. */
export interface ObjectFacts {
	isUnkept(object: string): boolean;
	isBinary(object: string): boolean;
}

/** The name of a path in the sides, without the mark of one that git moved aside. */
export function realPath(path: string, { ours, theirs }: MergeOutput["commits"]): string {
	return path.replace(new RegExp(`~(?:${ours}|${theirs})(?:_\\d+)?$`), "");
}

/** The conflicts of a merge, sorted by path. */
export function findConflicts(output: MergeOutput, facts: ObjectFacts): Conflict[] {
	const real = (path: string): string => realPath(path, output.commits);
	const groups = openGroups();
	for (const { path } of output.stages) groups.join([real(path)]);
	for (const { paths } of output.messages) groups.join(paths.map(real));
	groups.joinNested();
	return (
		groups
			.all()
			.map((paths): Conflict => {
				const inGroup = new Set(paths);
				const stages = output.stages.filter(({ path }) => inGroup.has(real(path)));
				const messages = output.messages.filter((message) => inGroup.has(real(message.paths[0] ?? "")));
				const types = messages.map(({ type }) => type);
				const first = messages.map((message) => real(message.paths[0] ?? "")).sort()[0] ?? paths[0] ?? "";
				return { path: first, paths, stages, kind: conflictKind(types, stages, facts) };
			})
			// git also lists conflicts that it resolved automatically.
			.filter(({ stages }) => stages.length > 0)
			.sort(byPath)
	);
}

const byType: readonly (readonly [string, ConflictKind])[] = [
	["file/directory", "file/folder"],
	["rename/rename", "rename/rename"],
	["rename involved in collision", "rename/rename"],
	["rename/delete", "rename/delete"],
	["modify/delete", "modify/delete"],
	["distinct", "link"],
];

function conflictKind(types: readonly string[], stages: readonly MergeStage[], facts: ObjectFacts): ConflictKind {
	if (stages.some(({ mode }) => mode === modes.repository)) return "repository";
	if (stages.some(({ object }) => facts.isUnkept(object))) return "unkept";
	const typed = byType.find(([part]) => types.some((type) => type.includes(part)));
	if (typed) return typed[1];
	if (stages.some(({ mode }) => mode === modes.link)) return "link";
	const [ours, theirs] = [2, 3].map((stage) => stages.find((one) => one.stage === stage));
	if (ours && theirs && ours.object === theirs.object) return "mode";
	if (stages.some(({ object }) => facts.isBinary(object))) return "binary";
	return stages.some(({ stage }) => stage === 1) ? "content" : "add/add";
}

/** Sets of paths; two that share a path become one. */
export function openGroups() {
	const groupOf = new Map<string, Set<string>>();
	const unite = (paths: readonly string[]): void => {
		const group = new Set(paths);
		for (const path of paths) for (const other of groupOf.get(path) ?? []) group.add(other);
		for (const path of group) groupOf.set(path, group);
	};
	return {
		join: unite,
		/** Groups a path with the conflicts below it: a file at the path excludes the folder. */
		joinNested() {
			for (const path of [...groupOf.keys()])
				for (const folder of foldersAbove(path)) if (groupOf.has(folder)) unite([folder, path]);
		},
		all: (): string[][] => [...new Set(groupOf.values())].map((group) => [...group].sort()),
	};
}

/** The changes of both sides, as a sentence without its end. */
export function explainConflict({ kind, stages }: Pick<Conflict, "kind" | "stages">, names: SideNames): string {
	const { ours, theirs } = names;
	const has = (stage: number): boolean => stages.some((one) => one.stage === stage);
	const [kept, gone] = has(2) ? [ours, theirs] : [theirs, ours];
	switch (kind) {
		case "content":
			return `${ours} and ${theirs} changed the same lines`;
		case "add/add":
			return `${ours} and ${theirs} both added it, with different contents`;
		case "modify/delete":
			return `${kept} changed it, ${gone} deleted it`;
		case "rename/delete":
			return `${kept} renamed it, ${gone} deleted it`;
		case "rename/rename":
			return `${ours} and ${theirs} renamed files in conflicting ways`;
		case "file/folder":
			return `one of ${ours} and ${theirs} has a file there, the other a folder`;
		case "binary":
			return `${ours} and ${theirs} both changed it, and it is binary`;
		case "mode":
			return `${ours} and ${theirs} gave it different permissions`;
		case "link":
			return `${ours} and ${theirs} disagree on a symbolic link`;
		case "repository":
			return `it is a nested repository, which ${ours} and ${theirs} left in different states`;
		case "unkept":
			return `${ours} and ${theirs} both changed it, and its contents are not stored`;
	}
}
