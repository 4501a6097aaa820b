// One letter has one meaning on all screens, and no screen has letters of its own.
import { expect, it } from "vitest";
import { answerKeys } from "../../src/tui/answer-keys.ts";
import { texts } from "../source-files.ts";

it("each letter answers one thing, and no question names a letter by itself", () => {
	const letters = Object.values(answerKeys);
	expect(new Set(letters).size).toBe(letters.length);
	const named = [...texts].flatMap(([path, text]) => (/(?:\bkey|\]): "[a-z]"/.test(text) ? [path] : []));
	expect(named).toEqual([]);
});
