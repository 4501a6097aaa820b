// pi's usage figures as the ledger sums them. Anything else counts as zero: a run's totals never decrease or become NaN.

import { NO_SPEND } from "@pi-chronicle/core/machine";
import { expect, it } from "vitest";
import { spendOf, spendOfAnswer } from "../../../src/local/worker/usage.ts";

const usage = { input: 1, output: 2, cacheRead: 3, cacheWrite: 4, totalTokens: 10, cost: { total: 0.5 } };
const spend = { input: 1, output: 2, cacheRead: 3, cacheWrite: 4, tokens: 10, costUsd: 0.5, unmeteredTokens: 0 };

it.each<[what: string, usage: unknown, spend: object]>([
	["a whole record", usage, spend],
	["a model without a price", { ...usage, cost: { total: 0 } }, { ...spend, costUsd: 0, unmeteredTokens: 10 }],
	["no cost", { ...usage, cost: undefined }, { ...spend, costUsd: 0, unmeteredTokens: 10 }],
	["a cost that is a text", { ...usage, cost: "0.5" }, { ...spend, costUsd: 0, unmeteredTokens: 10 }],
	["a cost that is null", { ...usage, cost: null }, { ...spend, costUsd: 0, unmeteredTokens: 10 }],
	["a figure that is a text", { ...usage, input: "1" }, { ...spend, input: 0 }],
	["a negative figure", { ...usage, output: -2 }, { ...spend, output: 0 }],
	["a figure that is no number", { ...usage, cacheRead: Number.NaN }, { ...spend, cacheRead: 0 }],
	["an endless figure", { ...usage, cacheWrite: Number.POSITIVE_INFINITY }, { ...spend, cacheWrite: 0 }],
	["no figures", {}, NO_SPEND],
	["null", null, NO_SPEND],
	["a number", 7, NO_SPEND],
	["nothing", undefined, NO_SPEND],
])("%s", (_what, given, expected) => {
	expect(spendOf(given)).toEqual(expected);
});

it.each<[what: string, answer: object, unreported: number]>([
	["with usage", { usage, stopReason: "stop" }, 0],
	["without usage", { stopReason: "stop" }, 1],
	["whose figures are all 0", { usage: { ...usage, totalTokens: 0, cost: { total: 0 } }, stopReason: "toolUse" }, 1],
	["cut at its length, without usage", { stopReason: "length" }, 1],
	["refused by the provider", { stopReason: "error" }, 0],
	["aborted", { stopReason: "aborted" }, 0],
])("an answer %s", (_what, answer, unreported) => {
	expect(spendOfAnswer(answer).unreportedAnswers ?? 0).toBe(unreported);
});
