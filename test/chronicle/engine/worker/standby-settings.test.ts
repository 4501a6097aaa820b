// The settings of standbys, in pi's settings files.
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { standbySettings } from "../../../../src/chronicle/engine/worker/standby-settings.ts";
import { openFolder } from "../../../harness/index.ts";

function settings(user: unknown, project: unknown, trust: "trusted" | "untrusted" = "trusted") {
	const folder = openFolder({
		...(user === undefined ? {} : { "agent/settings.json": user }),
		...(project === undefined ? {} : { "project/.pi/settings.json": project }),
	});
	return standbySettings({ cwd: join(folder, "project"), agentFolder: join(folder, "agent"), trust });
}

const standard = { most: 2, waitMs: 60_000 };

describe("the settings of standbys", () => {
	it("are the user's, and those of a trusted project before them", () => {
		expect(settings(undefined, undefined)).toEqual(standard);
		const user = { chronicle: { standby: 5, standbySeconds: 10 } };
		expect(settings(user, undefined)).toEqual({ most: 5, waitMs: 10_000 });
		const project = { chronicle: { standby: 0 } };
		expect(settings(user, project)).toEqual({ most: 0, waitMs: 10_000 });
		expect(settings(user, project, "untrusted")).toEqual({ most: 5, waitMs: 10_000 });
	});

	it.each([["two"], [-1], [101], [null], [true], [[2]]])("ignore %j", (standby) => {
		expect(settings({ chronicle: { standby } }, undefined)).toEqual(standard);
	});

	it.each([["{"], ["[]"], ["null"], ['{"chronicle":[]}'], ['{"chronicle":null}']])("ignore a file with %s", (text) => {
		expect(settings(text, undefined)).toEqual(standard);
	});
});
