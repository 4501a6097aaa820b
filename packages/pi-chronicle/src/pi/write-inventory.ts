// Writes an inventory, in a pi that was started for it: loads everything as pi's own session does, and keeps only names.

import { writeFileSync } from "node:fs";
import { DefaultResourceLoader, getAgentDir, SettingsManager } from "@earendil-works/pi-coding-agent";
import { parseUntrusted } from "@pi-chronicle/core/definition";
import { type Inventory, inventoryVariable, isInventoryRequest } from "./inventory.ts";

type Loaded = Pick<DefaultResourceLoader, "getExtensions" | "getSkills" | "getPrompts">;

/** `request`: the value of the variable. Throws if this pi has another way to load extensions. */
export async function writeInventory(request: string): Promise<void> {
	const { file, trusted } = parseUntrusted(request, isInventoryRequest) ?? {};
	if (file === undefined || trusted === undefined) return;
	// This package is among what is loaded, and must not begin again.
	delete process.env[inventoryVariable];
	const [cwd, agentDir] = [process.cwd(), getAgentDir()];
	const settingsManager = SettingsManager.create(cwd, agentDir, { projectTrusted: trusted });
	const loader = new DefaultResourceLoader({ cwd, agentDir, settingsManager, packageCommandOutput: "capture" });
	await loader.reload();
	writeFileSync(file, JSON.stringify(inventoryOf(loader)), { mode: 0o600 });
}

function inventoryOf(loaded: Loaded): Inventory {
	const [skills, prompts] = [loaded.getSkills(), loaded.getPrompts()];
	const named = ({ name, filePath }: { readonly name: string; readonly filePath: string }) => ({
		name,
		file: filePath,
	});
	return {
		extensions: loaded.getExtensions().extensions.map(({ resolvedPath, tools, flags, shortcuts }) => ({
			file: resolvedPath,
			tools: [...tools.keys()],
			flags: [...flags.keys()],
			keys: [...shortcuts.keys()],
		})),
		skills: skills.skills.map(named),
		prompts: prompts.prompts.map(named),
		hidden: [...skills.diagnostics, ...prompts.diagnostics].flatMap(({ collision }) =>
			collision?.resourceType === "skill" || collision?.resourceType === "prompt"
				? [
						{
							kind: collision.resourceType,
							name: collision.name,
							file: collision.loserPath,
							used: collision.winnerPath,
						},
					]
				: [],
		),
	};
}
