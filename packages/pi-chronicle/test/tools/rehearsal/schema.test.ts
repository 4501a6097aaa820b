// schemas/scenario.schema.json matches the reader's tables. `npm run schemas` writes it.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { scenarioSchema } from "../../../../../scripts/definition-reference.ts";
import { checkout } from "../../harness/index.ts";

it("scenario.schema.json is up to date", () => {
	const path = join(checkout, "packages/pi-chronicle/schemas", "scenario.schema.json");
	const text = `${JSON.stringify(scenarioSchema(), null, "\t")}\n`;
	if (process.env.UPDATE_SCHEMAS) writeFileSync(path, text);
	expect(JSON.parse(readFileSync(path, "utf8")), "run `npm run schemas`").toEqual(JSON.parse(text));
});
