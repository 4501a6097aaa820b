// How an attempt to send a notice has ended.

export interface SendResult {
	readonly ok: boolean;
	/** What the receiver answered, at most a line. */
	readonly answer: string;
	/** When it wants to be asked again. */
	readonly retryMs?: number;
}
