// The project of a command: whatever the command says that it needs, what starts a pi gets the one that is there.
import { expect, it } from "vitest";
import { openPlace, type PlaceOptions } from "../../../src/ui/cli/place.ts";
import { openFolder } from "../../harness/folder.ts";
import { piScript } from "../../harness/under-test.ts";

const options = (pi: string): PlaceOptions => ({ cwd: openFolder(), trust: "untrusted", pi });

it.each(["pi", "nothing"] as const)("a command that needs %s starts the pi that is there", (needs) => {
	expect(openPlace(options(piScript()), needs)).toMatchObject({ place: { pi: { command: process.execPath } } });
});

it("only a command that needs pi fails where there is none", () => {
	expect(openPlace(options("/nowhere/pi"), "pi")).toMatchObject({ code: "pi-not-found" });
	expect(openPlace(options("/nowhere/pi"), "nothing")).toMatchObject({ place: { pi: { args: [] } } });
});
