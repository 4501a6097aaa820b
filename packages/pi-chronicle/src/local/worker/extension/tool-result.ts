// What the tools of a worker share.

/** Annotations: workers' tools write the run's own record and nothing else. */
export const ownRecord = {
	readOnlyHint: false,
	destructiveHint: false,
	idempotentHint: false,
	openWorldHint: false,
} as const;

/** An error as the result of a call. */
export function failure(text: string) {
	return { content: [{ type: "text" as const, text }], details: undefined, isError: true };
}
