// Texts for the model around a handoff. They quote the user's direction verbatim.

/** Asks the model to write the brief. */
export function requestText(direction: string, notebookOn: boolean): string {
	return [
		"The user asks for a handoff: your context ends here, and a successor with an empty context continues in this session.",
		`The successor will get this direction, word for word:\n\n${quoteText(direction)}`,
		"Do not start on it. Collect what the successor needs to start immediately: the goal, what is done and verified, what is unfinished, files and commands that matter, decisions with their reasons, dead ends." +
			(notebookOn ? " Write lasting facts to the notebook first; the successor can read it." : ""),
		"Then call the tool `handoff` with that as `context`. The successor sees nothing else of this conversation.",
	].join("\n\n");
}

/** Reminds a model that stopped without calling the tool. */
export function handoffReminder(direction: string): string {
	return `The handoff is still waiting: call the tool \`handoff\` with the context that the successor needs. Its direction is:\n\n${quoteText(direction)}`;
}

/** Retracts the request. */
export const calledOffText =
	"The handoff requested above is canceled: the context stays as it is, and there is no successor. Do not write a brief, and do not work on its direction. Follow the next request.";

/** The successor's first message, after the brief that replaces the conversation. */
export function successorText(direction: string): string {
	return `You are the successor of the context summarized above. Your direction, in the user's own words:\n\n${direction}`;
}

function quoteText(text: string): string {
	return text
		.split("\n")
		.map((line) => `> ${line}`)
		.join("\n");
}
