// The command `import`: converts definitions of other tools into definitions of this package. Loaded on first use.
import type { LazyCommand } from "../../ui/index.ts";

export const importCommand: LazyCommand = {
	name: "import",
	about: "converts agents, commands and rules of other tools into definitions of this project",
	load: async () => (await import("./import.ts")).importDefinitions,
};
