// Detects whether a prompt template or skill that the user runs sets `readonly` in its front matter.
import { readFileSync } from "node:fs";
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { openSource, parseFrontMatter } from "@pi-chronicle/core/definition";
import { attempt } from "../../disk/index.ts";

export type ReadonlyRequest =
	| { readonly kind: "nothing" }
	| { readonly kind: "posture"; readonly on: boolean }
	/** `readonly` is neither true nor false. */
	| { readonly kind: "unclear"; readonly file: string; readonly line: number };

/** Reads the file behind `/name …`. Other texts contain no request. */
export function findReadonlyRequest(pi: Pick<ExtensionAPI, "getCommands">, text: string): ReadonlyRequest {
	const name = /^\/(\S+)/.exec(text)?.[1];
	const command = name === undefined ? undefined : pi.getCommands().find((known) => known.name === name);
	if (!command || command.source === "extension") return { kind: "nothing" };
	return readReadonlyRequest(command.sourceInfo.path);
}

/** Reads the front matter of a template's or skill's file. */
export function readReadonlyRequest(file: string): ReadonlyRequest {
	// pi itself reports unreadable files.
	const source = attempt(() => openSource(file, readFileSync(file, "utf8")));
	if (source === undefined) return { kind: "nothing" };
	const entry = parseFrontMatter(source, "optional").fields?.entries.get("readonly");
	if (!entry) return { kind: "nothing" };
	const { value } = entry;
	if (value.kind === "scalar" && typeof value.value === "boolean") return { kind: "posture", on: value.value };
	return { kind: "unclear", file, line: source.place(entry.keyStart).line ?? 1 };
}
