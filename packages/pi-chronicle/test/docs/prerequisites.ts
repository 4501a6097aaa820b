// Files that a document's examples require without showing them, by the document's path.
import type { Files } from "../harness/index.ts";

const agent = (name: string) => `---\nname: ${name}\ndescription: Does its part\ntools: read\n---\nDo your part.\n`;

export const prerequisites: Readonly<Record<string, Files>> = {
	"docs/personas.md": {
		".pi/agents/planner.md": agent("planner"),
		".pi/agents/reviewer.md": agent("reviewer"),
		".pi/agents/red-team.md": agent("red-team"),
		".pi/skills/release-notes/SKILL.md":
			"---\nname: release-notes\ndescription: Writes release notes\n---\nWrite them.\n",
	},
};
