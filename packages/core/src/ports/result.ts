// The result of a port's operation: a value or a failure. A port throws only for its own bugs.

export type Result<T, F = Failure> =
	| { readonly ok: true; readonly value: T }
	| { readonly ok: false; readonly failure: F };

/** `reason` is stable; `message` and `remedy` are for the user. */
export interface Failure {
	readonly reason: string;
	readonly message: string;
	readonly remedy: string;
}
