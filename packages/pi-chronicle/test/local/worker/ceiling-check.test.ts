// `check` names the ceilings that the models of states cannot be held to, as far as pi knows the models.

import type { StatePlan } from "@pi-chronicle/core/template";
import { expect, it } from "vitest";
import { checkCeilings } from "../../../src/local/worker/ceiling-check.ts";
import type { WorkerSpec } from "../../../src/local/worker/worker-spec.ts";
import { listedModel, markDefault } from "../../../src/pi/index.ts";

const price = { input: 1, output: 2, cacheRead: 0, cacheWrite: 0 };
const free = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
const models = markDefault(
	[
		{ provider: "p", id: "paid", cost: price },
		{ provider: "p", id: "free", cost: free },
		{ provider: "p", id: "mute", cost: price, compat: { supportsUsageInStreaming: false } },
		{ provider: "p", id: "old" },
		{ id: "nobody's" },
	].flatMap((model) => listedModel(model) ?? []),
	{ provider: "p", id: "free" },
);

/** A state that names `model`, or the default one; its own ceilings. */
const state = (name: string, model: string | undefined, limits: object = {}) => ({
	state: { name, limits } as unknown as StatePlan,
	spec: { model: model && `p/${model}` } as WorkerSpec,
});

it.each<[what: string, states: ReturnType<typeof state>[], ceilings: object, warned: RegExp[]]>([
	["a priced model", [state("a", "paid")], { costUsd: 1, tokens: 9 }, []],
	[
		"a model without a price",
		[state("a", "free")],
		{ costUsd: 1, tokens: 9 },
		[/^a p\/free has no price in pi, so `cost_usd` cannot/],
	],
	["the default model", [state("a", undefined)], { costUsd: 1 }, [/^a p\/free has no price/]],
	["a ceiling of 0, which allows it", [state("a", "free")], { costUsd: 0 }, []],
	["only tokens", [state("a", "free")], { tokens: 9 }, []],
	[
		"no usage",
		[state("a", "mute")],
		{ costUsd: 0, tokens: 9 },
		[/^a p\/mute reports no usage .*`tokens` and `cost_usd`/],
	],
	["a ceiling of the state", [state("a", "free"), state("b", "free", { costUsd: 3 })], {}, [/^b p\/free/]],
	[
		"each model once",
		[state("a", "free"), state("b", "free"), state("c", "mute")],
		{ costUsd: 1 },
		[/^a p\/free/, /^c p\/mute/],
	],
	["a model of which pi says nothing", [state("a", "old"), state("b", "absent")], { costUsd: 1 }, []],
])("%s", async (_what, states, ceilings, warned) => {
	const found = await checkCeilings(states, ceilings, async () => models);
	expect(found.map(({ severity }) => severity)).toEqual(warned.map(() => "warning"));
	for (const [index, pattern] of warned.entries())
		expect(`${found[index]?.state} ${found[index]?.message}`).toMatch(pattern);
});

it("asks for no models where no ceiling applies", async () => {
	const ask = () => Promise.reject(new Error("asked"));
	expect(await checkCeilings([state("a", "free")], {}, ask)).toEqual([]);
});
