// The settings for workers in pi's settings files.
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { workerSettings } from "../../../../src/chronicle/engine/worker/worker-settings.ts";
import { openFolder } from "../../../harness/index.ts";

function settings(user: unknown, project: unknown, trust: "trusted" | "untrusted" = "trusted") {
	const folder = openFolder({
		...(user === undefined ? {} : { "agent/settings.json": user }),
		...(project === undefined ? {} : { "project/.pi/settings.json": project }),
	});
	return workerSettings({ cwd: join(folder, "project"), agentFolder: join(folder, "agent"), trust });
}

const standard = { standby: { max: 2, waitMs: 60_000 }, maxWorkers: 8, keepChildFolders: false, questionMs: 300_000 };

describe("the settings of workers", () => {
	it("are the user's, overridden by those of a trusted project", () => {
		expect(settings(undefined, undefined)).toEqual(standard);
		const user = { chronicle: { standby: 5, standbySeconds: 10, maxWorkers: 3, questionSeconds: 20 } };
		expect(settings(user, undefined)).toEqual({
			standby: { max: 5, waitMs: 10_000 },
			maxWorkers: 3,
			keepChildFolders: false,
			questionMs: 20_000,
		});
		const project = { chronicle: { standby: 0 } };
		expect(settings(user, project)).toEqual({
			standby: { max: 0, waitMs: 10_000 },
			maxWorkers: 3,
			keepChildFolders: false,
			questionMs: 20_000,
		});
		expect(settings(user, project, "untrusted")).toEqual({
			standby: { max: 5, waitMs: 10_000 },
			maxWorkers: 3,
			keepChildFolders: false,
			questionMs: 20_000,
		});
	});

	it.each([["two"], [-1], [101], [null], [true], [[2]]])("ignore %j", (standby) => {
		expect(settings({ chronicle: { standby } }, undefined)).toEqual(standard);
	});

	it.each([[0], [0.5], [1001], ["many"], [-3]])("ignore maxWorkers %j", (maxWorkers) => {
		expect(settings({ chronicle: { maxWorkers } }, undefined)).toEqual(standard);
	});

	it.each([
		[true, true],
		[false, false],
		["true", false],
		[1, false],
	])("keep the folders of children for %j: %s", (keepChildFolders, kept) => {
		expect(settings({ chronicle: { keepChildFolders } }, undefined).keepChildFolders).toBe(kept);
	});

	it.each([["{"], ["[]"], ["null"], ['{"chronicle":[]}'], ['{"chronicle":null}']])("ignore a file with %s", (text) => {
		expect(settings(text, undefined)).toEqual(standard);
	});
});
