// Documents in use: each is followed from an empty home, line by line, with the package as npm packs it, until the user has what it promises.
import { beforeAll, describe, it } from "vitest";
import { patient } from "../harness/patience.ts";
import { follow } from "./follow.ts";
import { openUser, type User } from "./user.ts";
import { uses } from "./uses.ts";

let user: User;

beforeAll(async () => {
	user = await openUser();
	await follow(user, { document: "README.md", sections: ["Install"], script: [] });
}, patient(120_000));

describe("a user with an empty home follows", () => {
	for (const use of uses)
		it(use.document, { ...use.needs, timeout: patient(300_000) }, async () => {
			await follow(user, use);
		});
});
