// The command `doctor`: examines whether the package can work here. Loaded on first use.
import type { LazyCommand } from "../../ui/index.ts";

export const doctorCommand: LazyCommand = {
	name: "doctor",
	about: "examines pi, Node, git, the project and leftovers of dead runs, and gives remedies",
	load: async () => (await import("./doctor.ts")).doctor,
};
