// The command `doctor`: whether everything that the package needs is there. Loaded when it is used.
import type { LazyCommand } from "../chronicle/index.ts";

export const doctorCommand: LazyCommand = {
	name: "doctor",
	about: "examines pi, Node, git, the project and what dead runs left behind, and says what to do",
	load: async () => (await import("./doctor.ts")).doctor,
};
