// What the user has installed, by name: tools, flags and keys of extensions, skills and prompt templates. A pi that loads none of it for its own
// session lists it (`write-inventory.ts`), so nothing of it acts.
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type AskedPi, askPi } from "./ask-pi.ts";
import { packageRoot } from "./own-package.ts";

/** Holds an `InventoryRequest` as JSON in the pi that writes an inventory. */
export const inventoryVariable = "PI_CHRONICLE_INVENTORY";

export interface InventoryRequest {
	/** The file to write, absolute. */
	readonly file: string;
	readonly trusted: boolean;
}

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

/** Takes the inventory of a project. `undefined`: this pi cannot list it, or does not answer in time. */
export async function takeInventory(
	asked: Omit<AskedPi, "args">,
	trust: "trusted" | "untrusted",
): Promise<Inventory | undefined> {
	const folder = await mkdtemp(join(tmpdir(), "pi-chronicle-inventory-"));
	const request: InventoryRequest = { file: join(folder, "inventory.json"), trusted: trust === "trusted" };
	const env = { ...asked.env, [inventoryVariable]: JSON.stringify(request) };
	const args = ["-ne", "-ns", "-np", "--no-themes", "-nc", "-e", join(packageRoot(), "extension.ts")];
	try {
		await askPi({ ...asked, env, args }, (link) => link.send({ type: "get_state" }));
		return JSON.parse(await readFile(request.file, "utf8")) as Inventory;
	} catch {
		return undefined;
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
}
