// The settings for workers in pi's settings files.
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { workerSettings } from "../../../src/local/worker/worker-settings.ts";
import { openFolder } from "../../harness/index.ts";

function settings(user: unknown, project: unknown, trust: "trusted" | "untrusted" = "trusted") {
	const folder = openFolder({
		...(user === undefined ? {} : { "agent/settings.json": user }),
		...(project === undefined ? {} : { "project/.pi/settings.json": project }),
	});
	return workerSettings({ cwd: join(folder, "project"), agentFolder: join(folder, "agent"), trust });
}

const rest = {
	apart: "ask",
	keepChildFolders: false,
	childFolders: undefined,
	providerWait: { firstMs: 60_000, maxMs: 12 * 3_600_000 },
	fallback: [],
	roles: { cheap: [], strong: [] },
};
const standard = { ...rest, standby: { max: 2, waitMs: 60_000 }, maxWorkers: 8, questionMs: 300_000 };

describe("the settings of workers", () => {
	it("are the user's, overridden by those of a trusted project", () => {
		expect(settings(undefined, undefined)).toEqual(standard);
		const user = { chronicle: { standby: 5, standbySeconds: 10, maxWorkers: 3, questionSeconds: 20 } };
		expect(settings(user, undefined)).toEqual({
			standby: { max: 5, waitMs: 10_000 },
			maxWorkers: 3,
			...rest,
			questionMs: 20_000,
		});
		const project = { chronicle: { standby: 0 } };
		expect(settings(user, project)).toEqual({
			standby: { max: 0, waitMs: 10_000 },
			maxWorkers: 3,
			...rest,
			questionMs: 20_000,
		});
		expect(settings(user, project, "untrusted")).toEqual({
			standby: { max: 5, waitMs: 10_000 },
			maxWorkers: 3,
			...rest,
			questionMs: 20_000,
		});
	});

	it.each([["two"], [-1], [101], [null], [true], [[2]]])("ignore %j", (standby) => {
		expect(settings({ chronicle: { standby } }, undefined)).toEqual(standard);
	});

	it.each([[0], [0.5], [1001], ["many"], [-3]])("ignore maxWorkers %j", (maxWorkers) => {
		expect(settings({ chronicle: { maxWorkers } }, undefined)).toEqual(standard);
	});

	it.each<[object, object]>([
		[{ providerWait: "2h", providerRetry: "90s" }, { providerWait: { firstMs: 90_000, maxMs: 7_200_000 } }],
		[{ providerWait: 30, providerRetry: 0.5 }, { providerWait: { firstMs: 30_000, maxMs: 1_800_000 } }],
		[{ providerWait: "1 h 30 min" }, { providerWait: { firstMs: 60_000, maxMs: 5_400_000 } }],
		[{ providerWait: 0 }, { providerWait: { firstMs: 60_000, maxMs: 0 } }],
		[{ providerWait: "soon", providerRetry: -1 }, { providerWait: rest.providerWait }],
		[{ fallback: "other/model" }, { fallback: ["other/model"] }],
		[{ models: { cheap: "haiku", strong: ["opus:high", 3] } }, { roles: { cheap: ["haiku"], strong: ["opus:high"] } }],
		[{ models: "haiku" }, { roles: { cheap: [], strong: [] } }],
		[{ fallback: ["a/b", "c", 3] }, { fallback: ["a/b", "c"] }],
	])("wait for a provider as %j says", (chronicle, expected) => {
		expect(settings({ chronicle }, undefined)).toMatchObject(expected);
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
