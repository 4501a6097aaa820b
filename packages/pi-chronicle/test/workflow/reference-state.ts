// A workflow's state in a session as the reference package writes it: in phase 2 of `w`.

export const referenceState = (more: object = {}): Record<string, unknown> => ({
	active: true,
	workflowKey: "w",
	currentPath: [{ workflowKey: "w", phaseIndex: 1 }],
	globalStepCount: 1,
	taskId: "wf-1747234567890-a3f9k2",
	taskDescription: "from before",
	startedAt: 1_747_234_567_890,
	completionNotified: false,
	cancelled: false,
	...more,
});
