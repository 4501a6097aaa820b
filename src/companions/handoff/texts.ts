// What the model reads around a handoff. The person's direction stands in these texts verbatim.

/** Asks the model to write the brief. */
export function requestText(direction: string, notebookOn: boolean): string {
	return [
		"The person asks for a handoff: your context ends here, and a successor with an empty context goes on in this session.",
		`The successor will get this direction, word for word:\n\n${quote(direction)}`,
		"Do not start on it. Collect what the successor needs to begin at once: the goal, what is done and verified, what is half done, files and commands that matter, decisions with their reasons, dead ends." +
			(notebookOn ? " Write lasting facts into the notebook first; the successor can read it." : ""),
		"Then call the tool `handoff` with that as `context`. Nothing of this conversation reaches the successor except what you put there.",
	].join("\n\n");
}

/** Reminds a model that stopped without calling the tool. */
export function handoffReminder(direction: string): string {
	return `The handoff is still waiting: call the tool \`handoff\` with the context that the successor needs. Its direction is:\n\n${quote(direction)}`;
}

/** Takes the request back. */
export const calledOffText =
	"The handoff that was asked for above is called off: the context stays as it is, and there is no successor. Do not write its brief; its direction is no task for you. Follow what you are asked next.";

/** What the successor starts with, after the brief that stands in place of the conversation. */
export function successorText(direction: string): string {
	return `You are the successor of the context summarised above. Your direction, in the person's own words:\n\n${direction}`;
}

function quote(text: string): string {
	return text
		.split("\n")
		.map((line) => `> ${line}`)
		.join("\n");
}
