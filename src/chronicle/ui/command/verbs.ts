// The verbs of `/chronicle`. A template that is called like one of them is started with `start <name>`.
import { chronicleVerbs, type ListedVerb } from "../cli/index.ts";
import { steerings } from "../commands/index.ts";

/** Verbs that look, in the order in which they are listed. */
export const lookingVerbs = [
	"list",
	"status",
	"show",
	"diff",
	"view",
	"report",
	"remove",
	"prune",
	"check",
	"help",
] as const;

/** What only a session has. */
const ownVerbs: readonly ListedVerb[] = [
	{ name: "start", about: "starts a template with a task, also one that is called like a verb" },
	{ name: "view", about: "a run on a screen of its own: history, conversation, changes, findings, events" },
	{
		name: "check",
		about: "whether templates are sound; pi-chronicle check in a shell: everything that the project has",
	},
	{ name: "help", about: "what each verb does" },
];

/** All of them, with what they do. */
export const verbs: readonly ListedVerb[] = ["start", "run", ...lookingVerbs, ...steerings.map(({ name }) => name)].map(
	(name) => ({ name, about: [...ownVerbs, ...chronicleVerbs].find((verb) => verb.name === name)?.about ?? "" }),
);

export const verbNames: ReadonlySet<string> = new Set(verbs.map(({ name }) => name));
