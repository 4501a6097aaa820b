// Contents that are noticed and not kept: an object with the file's size and time stands for them in the index.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isSecretFile } from "../../core/index.ts";
import type { Store, StoreOptions } from "./store.ts";

export type MarkKind = "large" | "secret";

const firstLines: Readonly<Record<MarkKind, string>> = {
	large: "pi-chronicle: too large to keep\n",
	secret: "pi-chronicle: secret by its name\n",
};

export interface Marks {
	/** The kind of mark that a file gets; `undefined`: its contents are kept. `path`: bytes as latin1. */
	kindFor(path: string, size: number): MarkKind | undefined;
	/** Writes the object that stands for a content. */
	make(kind: MarkKind, size: number, modifiedMs: number): Promise<string | undefined>;
	/** What `object` stands for, if it is a mark. */
	kindOf(object: string): MarkKind | undefined;
}

const list = "large";

/** Opens the marks of a store. */
export async function openMarks(
	store: Pick<Store, "git">,
	{ folder, borrow, limits: { fileBytes }, secrets }: StoreOptions,
): Promise<Marks> {
	const known = new Map<string, MarkKind>();
	for (const place of [folder, ...borrow])
		for (const line of (await readFile(join(place, list), "utf8").catch(() => "")).split("\n")) {
			const [object = "", kind] = line.split(" ");
			if (object !== "") known.set(object, kind === "secret" ? "secret" : "large");
		}
	return {
		kindFor(path, size) {
			if (secrets === "left out" && isSecretFile(path)) return "secret";
			return size > fileBytes ? "large" : undefined;
		},
		async make(kind, size, modifiedMs) {
			const text = `${firstLines[kind]}size ${size}\nmodified ${modifiedMs}\n`;
			const written = await store.git(["hash-object", "-w", "--stdin"], { input: Buffer.from(text) });
			if (written.kind !== "done") return undefined;
			const object = written.output.toString("latin1").trim();
			if (!known.has(object)) {
				known.set(object, kind);
				await writeFile(join(folder, list), `${object}${kind === "secret" ? " secret" : ""}\n`, {
					flag: "a",
					mode: 0o600,
				}).catch(() => {});
			}
			return object;
		},
		kindOf: (object) => known.get(object),
	};
}
