// Recognizes the messages of /handoff by their first words. Their texts belong to the handoff; a test holds these words against them.

const asks = /^The (user asks for a handoff|handoff is still waiting):/;
const isOver = /^The handoff requested above is canceled/;

/** Whether the last of these messages that is about a handoff asks the model for one. */
export function asksForHandoff(messages: readonly string[]): boolean {
	return asks.test(messages.findLast((text) => asks.test(text) || isOver.test(text)) ?? "");
}
