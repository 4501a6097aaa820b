// The letters that answer questions, on all screens. One letter has one meaning, and one meaning has one letter. Digits choose from a numbered list.

/** @public */
export const answerKeys = {
	yes: "y",
	no: "n",
	later: "l",
	approve: "a",
	reject: "r",
	/** Show the changes. */
	changes: "d",
	/** Take another child than the one that the worker named. */
	another: "c",
	/** Send the run to another state. */
	elsewhere: "s",
	tell: "t",
	ownWords: "w",
	/** Let a worker do it. */
	worker: "o",
	/** Do it by hand. */
	byHand: "h",
	start: "b",
	/** Start in a copy of the project, or in its folder. */
	inCopy: "p",
	inFolder: "g",
	edit: "e",
	saveFiles: "f",
	drop: "x",
	inSession: "i",
	forAnHour: "u",
	always: "v",
	never: "z",
	/** For commands like this one. */
	alike: "m",
} as const;

/**
 * The letter or digit of an answer.
 *
 * @public
 */
export type AnswerKey = (typeof answerKeys)[keyof typeof answerKeys] | `${number}`;
