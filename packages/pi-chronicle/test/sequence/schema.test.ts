// schemas/sequence.schema.json matches the reader's table. `npm run schemas` writes it.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { sequenceSchema } from "../../../../scripts/definition-reference.ts";
import { checkout } from "../harness/index.ts";

it("sequence.schema.json is up to date", () => {
	const path = join(checkout, "packages/pi-chronicle/schemas", "sequence.schema.json");
	const text = `${JSON.stringify(sequenceSchema(), null, "\t")}\n`;
	if (process.env.UPDATE_SCHEMAS) writeFileSync(path, text);
	expect(JSON.parse(readFileSync(path, "utf8")), "run `npm run schemas`").toEqual(JSON.parse(text));
});
