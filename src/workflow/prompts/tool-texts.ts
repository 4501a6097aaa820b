// The declaration of `workflow_step`. It is the same in every phase: a change of it costs the provider's prompt cache.
/** What the model can do with the tool. */
export const stepActions = ["next", "loop", "ask", "status", "cancel"] as const;
export type StepAction = (typeof stepActions)[number];

export const stepToolTexts = {
	description:
		"Moves this session's workflow, or asks the user. Calls of one message run at the same time; call this one last: those after next, loop or ask are refused.",
	action:
		"next: the phase is finished, go to the following one. loop: restart the current workflow at its first phase. ask: ask the user and wait for the answer. status: show the current phase and its instructions. cancel: abandon the whole workflow, after a confirmation.",
	summary: "With next and loop: what you did and found in this phase, in one to three sentences.",
	question: "With ask: everything the user needs to know to answer.",
} as const;
