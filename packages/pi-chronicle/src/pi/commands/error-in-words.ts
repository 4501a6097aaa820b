// Translates an error that nobody expected for the person who sees it. Loaded when there is one.
import { errorMessage } from "@pi-chronicle/core/definition";

/** An error with words for a person, whose cause is `error`. */
export function errorInWords(error: unknown): Error {
	return new Error(errorMessage(error), { cause: error });
}
