// A failure that is thrown where no result can have it.

interface Explained {
	readonly reason: string;
	readonly message: string;
	readonly remedy: string;
}

/** Carries a failure of a port through code that knows only errors. */
export class FailureError<T extends Explained = Explained> extends Error {
	readonly failure: T;

	constructor(failure: T) {
		super(failure.message);
		this.failure = failure;
	}
}
