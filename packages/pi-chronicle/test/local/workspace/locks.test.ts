// A killed supervisor's git is found by its command line, also below a path with blanks.
import { expect, it } from "vitest";
import { namesStore } from "../../../src/local/workspace/locks.ts";

const store = "/Users/u/My Project/.pi/chronicle/sessions/1/files";

it.each([
	["arguments as ps prints them", `git --git-dir=${store} -c core.sharedRepository=0600 add`, true],
	["a store in it", `git --git-dir=${store}/inner/ab -c core.sharedRepository=0600 add`, true],
	["arguments as Linux has them", `git\0--git-dir=${store}\0-c\0core.sharedRepository=0600\0`, true],
	["a store whose path continues after a blank", `git --git-dir=${store} 2 -c core.sharedRepository=0600`, false],
	["another store", "git --git-dir=/Users/u/My -c core.sharedRepository=0600", false],
])("%s", (_, line, names) => {
	expect(namesStore(line, store)).toBe(names);
});
