// Placeholders: for contents that are not stored, the index has an object with the file's size and modification time.
// A placeholder is binary for git, and similar to no other: it is never drawn, counted or found renamed as if it were the contents.

import { createHash } from "node:crypto";
import { appendFile, mkdir, readFile, realpath, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isSecretFile } from "@pi-chronicle/core/snapshot";
import { readBlobs, writeBlob } from "./blobs.ts";
import { type GitPlace, gitAt } from "./git-place.ts";
import type { PlaceholderKind, Store, StoreOptions } from "./store.ts";

const firstLines: Readonly<Record<PlaceholderKind, string>> = {
	large: "pi-chronicle: too large to keep\n",
	secret: "pi-chronicle: secret by its name\n",
};

/** Whether a content is that of a placeholder. */
function isPlaceholder(content: Buffer): boolean {
	return Object.values(firstLines).some((line) => content.subarray(0, line.length).toString("latin1") === line);
}

export interface Placeholders {
	/** The kind of a file's placeholder; `undefined`: its contents are stored. `path`: bytes as latin1. */
	kindFor(path: string, size: number): PlaceholderKind | undefined;
	/** Writes the placeholder of a file and returns its object name. */
	make(kind: PlaceholderKind, size: number, modifiedMs: number): Promise<string>;
	/** Reads the list again. */
	reload(): Promise<void>;
	/** The kind of placeholder `object`; `undefined` if it is not a placeholder. */
	kindOf(object: string): PlaceholderKind | undefined;
}

/** File in the store that lists the placeholders' objects, one per line. */
export const PLACEHOLDER_LIST = "large";

/** Opens the placeholders of a store and its alternates. */
export async function openPlaceholders(
	store: Pick<Store, "git">,
	{ folder, alternates, limits: { fileBytes }, secrets }: StoreOptions,
): Promise<Placeholders> {
	const known = new Map<string, PlaceholderKind>();
	const reload = async (): Promise<void> => {
		for (const place of [folder, ...alternates]) {
			const list = await readFile(await placeholderList(place), "utf8").catch(() => "");
			for (const line of list.split("\n")) {
				const [object = "", kind] = line.split(" ");
				if (object !== "") known.set(object, kind === "secret" ? "secret" : "large");
			}
		}
	};
	await reload();
	return {
		kindFor(path, size) {
			if (secrets === "left out" && isSecretFile(path)) return "secret";
			return size > fileBytes ? "large" : undefined;
		},
		async make(kind, size, modifiedMs) {
			const text = `${firstLines[kind]}size ${size}\nmodified ${modifiedMs}\n`;
			const earlier = objectNames(text).find((object) => known.has(object));
			if (earlier !== undefined) return earlier;
			const object = await writeBlob(
				store,
				Buffer.from(`${text}\0${createHash("sha256").update(text).digest("hex")}\n`),
			);
			if (!known.has(object)) {
				known.set(object, kind);
				const line = `${object}${kind === "secret" ? " secret" : ""}\n`;
				await writeFile(await placeholderList(folder), line, { flag: "a", mode: 0o600 }).catch(() => {});
			}
			return object;
		},
		reload,
		kindOf: (object) => known.get(object),
	};
}

/** The names of a placeholder as earlier versions wrote it: a file that has not changed since keeps its own. */
function objectNames(text: string): string[] {
	const blob = `blob ${Buffer.byteLength(text)}\0${text}`;
	return ["sha1", "sha256"].map((kind) => createHash(kind).update(blob).digest("hex"));
}

/** The list of a store, next to its objects, which a child shares with its parent. */
async function placeholderList(store: string): Promise<string> {
	const objects = await realpath(join(store, "objects")).catch(() => join(store, "objects"));
	return join(dirname(objects), PLACEHOLDER_LIST);
}

/** The lines by which the store in `folder` lists its placeholders. */
export async function readPlaceholders(folder: string): Promise<readonly string[]> {
	const list = await readFile(join(folder, PLACEHOLDER_LIST), "utf8").catch(() => "");
	return list.split("\n").filter(Boolean);
}

/**
 * Tells the store in `folder` which objects of another host's snapshot stand for contents that are not kept: before it uses the snapshot. Objects
 * with any other content are not taken for that, whatever `placeholders` says. `place` can read them.
 */
export async function addPlaceholders(place: GitPlace, folder: string, placeholders: readonly string[]): Promise<void> {
	await mkdir(folder, { recursive: true, mode: 0o700 });
	const known = new Set(await readPlaceholders(folder));
	const added = placeholders.filter((line) => !known.has(line));
	if (added.length === 0) return;
	const git = async (args: readonly string[], more: { readonly input?: Buffer }) => {
		const done = await gitAt(place, args, more);
		return done.kind === "done" ? done : { output: Buffer.alloc(0), code: -1, cut: false, warnings: "" };
	};
	const objects = added.map((line) => line.split(" ", 1)[0] ?? "");
	const contents = await readBlobs({ git }, objects);
	const genuine = added.filter((_, index) => {
		const content = contents.get(objects[index] ?? "");
		return content !== undefined && isPlaceholder(content);
	});
	const text = genuine.map((line) => `${line}\n`).join("");
	if (text !== "") await appendFile(join(folder, PLACEHOLDER_LIST), text, { mode: 0o600 });
}
