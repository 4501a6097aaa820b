// What every port answers: a value, or what went wrong. A port throws for nothing but its own bugs.

export type Result<T, F = Failure> =
	| { readonly ok: true; readonly value: T }
	| { readonly ok: false; readonly failure: F };

/** `reason` is stable; `message` and `remedy` are for the person. */
export interface Failure {
	readonly reason: string;
	readonly message: string;
	readonly remedy: string;
}
