// The command `import`: definitions of other tools become definitions of this package. Loaded when it is used.
import type { LazyCommand } from "../chronicle/index.ts";

export const importCommand: LazyCommand = {
	name: "import",
	about: "turns workflows, agents and rules of other tools into definitions of this project",
	load: async () => (await import("./import.ts")).importDefinitions,
};
