// What the user has installed, by name: tools, flags and keys of extensions, skills and prompt templates. A pi that loads none of it for its own
// session lists it (`write-inventory.ts`), so nothing of it acts.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { isFlag, isText, listOf, object, oneOf, parseUntrusted } from "@pi-chronicle/core/definition";
import { inTemporaryFolder } from "../disk/index.ts";
import { type AskedPi, askPi } from "./ask-pi.ts";
import { packageRoot } from "./own-package.ts";

/** Holds an `InventoryRequest` as JSON in the pi that writes an inventory. */
export const inventoryVariable = "PI_CHRONICLE_INVENTORY";

interface InventoryRequest {
	/** The file to write, absolute. */
	readonly file: string;
	readonly trusted: boolean;
}

export const isInventoryRequest = object<InventoryRequest>({ file: isText, trusted: isFlag });

interface InventoriedExtension {
	/** Absolute, or `builtin:<name>`. */
	readonly file: string;
	readonly tools: readonly string[];
	readonly flags: readonly string[];
	/** As pi writes keys: `alt+a`. */
	readonly keys: readonly string[];
}

interface NamedFile {
	readonly name: string;
	readonly file: string;
}

export interface Inventory {
	readonly extensions: readonly InventoriedExtension[];
	readonly skills: readonly NamedFile[];
	readonly prompts: readonly NamedFile[];
	/** Skills and prompt templates that pi leaves out, because `used` has the same name. */
	readonly hidden: readonly (NamedFile & { readonly kind: "skill" | "prompt"; readonly used: string })[];
}

const named = { name: isText, file: isText };

const isInventory = object<Inventory>({
	extensions: listOf(
		object<InventoriedExtension>({ file: isText, tools: listOf(isText), flags: listOf(isText), keys: listOf(isText) }),
	),
	skills: listOf(object<NamedFile>(named)),
	prompts: listOf(object<NamedFile>(named)),
	hidden: listOf(object<Inventory["hidden"][number]>({ ...named, kind: oneOf("skill", "prompt"), used: isText })),
});

/** Takes the inventory of a project. `undefined`: this pi cannot list it, or does not answer in time. */
export async function takeInventory(
	asked: Omit<AskedPi, "args">,
	trust: "trusted" | "untrusted",
): Promise<Inventory | undefined> {
	const args = ["-ne", "-ns", "-np", "--no-themes", "-nc", "-e", join(packageRoot(), "extension.ts")];
	const taken = inTemporaryFolder(async (folder) => {
		const request: InventoryRequest = { file: join(folder, "inventory.json"), trusted: trust === "trusted" };
		const env = { ...asked.env, [inventoryVariable]: JSON.stringify(request) };
		await askPi({ ...asked, env, args }, (link) => link.send({ type: "get_state" }));
		return parseUntrusted(await readFile(request.file, "utf8"), isInventory);
	});
	return taken.catch(() => undefined);
}
