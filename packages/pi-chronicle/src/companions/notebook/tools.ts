// The model's four notebook tools. Writing returns only the changed page, because the model already has the rest of the index.
import type { ToolDefinition } from "@earendil-works/pi-coding-agent";
import { Type } from "typebox";
import { redactSecrets } from "../../safety/index.ts";
import { pageName } from "./notebook.ts";
import type { NotebookSession } from "./notebook-session.ts";
import { indexText, notebookPageText, topicLine, writtenText } from "./texts.ts";

const page = Type.String({ description: "Name of the page, one line" });

/** The tools of one session's notebook. A refusal is an error result, which tells the model that nothing was written. */
export function notebookTools(session: NotebookSession): ToolDefinition[] {
	const answer = (text: string) => ({ content: [{ type: "text" as const, text }], details: {} });
	const failIf = (reason: string | undefined) => {
		if (reason !== undefined) throw new Error(reason);
	};
	const write: ToolDefinition<typeof writeParameters> = {
		name: "notebook_write",
		label: "Notebook: write",
		description: "Write a page of the session's notebook. A page of the same name is replaced whole.",
		parameters: writeParameters,
		executionMode: "sequential",
		async execute(_id, { name, content }) {
			const shown = pageName(redactSecrets(name));
			const replaced = session.notebook.pages.has(shown);
			failIf(session.write(shown, redactSecrets(content)));
			return answer(writtenText(session.notebook, shown, replaced ? "replaced" : "new"));
		},
	};
	const read: ToolDefinition<typeof readParameters> = {
		name: "notebook_read",
		label: "Notebook: read",
		description: "Read a page of the session's notebook, whole.",
		parameters: readParameters,
		async execute(_id, { name }) {
			const content = session.notebook.pages.get(pageName(name));
			return answer(
				content === undefined
					? `There is no page "${name}".\n\n${indexText(session.notebook)}`
					: notebookPageText(pageName(name), content),
			);
		},
	};
	const index: ToolDefinition<typeof indexParameters> = {
		name: "notebook_index",
		label: "Notebook: index",
		description: "List the pages of the session's notebook and its topic.",
		parameters: indexParameters,
		async execute() {
			return answer(`${topicLine(session.notebook)}\n\n${indexText(session.notebook)}`);
		},
	};
	const topic: ToolDefinition<typeof topicParameters> = {
		name: "notebook_topic_set",
		label: "Notebook: topic",
		description: "Name the topic of this session, once. Only the user can change a topic.",
		parameters: topicParameters,
		executionMode: "sequential",
		async execute(_id, { topic: text }) {
			failIf(session.setTopic(redactSecrets(text), "agent"));
			return answer(topicLine(session.notebook));
		},
	};
	// These tools change only the session, so neither readonly nor a phase has a reason to refuse them.
	return [write, read, index, topic].map(
		(tool) => ({ ...tool, annotations: { readOnlyHint: true } }) as ToolDefinition,
	);
}

const writeParameters = Type.Object({ name: page, content: Type.String({ description: "The whole page, Markdown" }) });
const readParameters = Type.Object({ name: page });
const indexParameters = Type.Object({});
const topicParameters = Type.Object({ topic: Type.String({ description: "A few words" }) });
