import { describe, expect, it } from "vitest";
import { chooseModel, type Model } from "../../src/persona/index.ts";

function model(text: string, name?: string): Model {
	const [provider = "", ...id] = text.split("/");
	return { provider, id: id.join("/"), name };
}

const models = [
	model("anthropic/claude-opus-5", "Claude Opus 5"),
	model("anthropic/claude-opus-5-10", "Claude Opus 5.10"),
	model("anthropic/claude-opus-5-20260101"),
	model("anthropic/claude-sonnet-5", "Claude Sonnet 5"),
	model("anthropic/claude-haiku-4-5", "Claude Haiku 4.5"),
	model("bedrock/claude-opus-9", "Opus on Bedrock"),
	model("openai/gpt-6", "GPT-6"),
	model("openrouter/openai/gpt-6", "GPT-6 (router)"),
	model("openrouter/zai/glm-5"),
];
const session = model("anthropic/claude-sonnet-5");

function chosen(wanted: string | string[], fallback: Model | undefined = session) {
	const { model: found, thinking, notice } = chooseModel([wanted].flat(), models, fallback);
	return [found && `${found.provider}/${found.id}`, thinking, notice?.code]
		.filter((part) => part !== undefined)
		.join(" ");
}

describe("a persona's model", () => {
	it.each([
		["opus", "anthropic/claude-opus-5-10"],
		["OPUS", "anthropic/claude-opus-5-10"],
		["sonnet", "anthropic/claude-sonnet-5"],
		["haiku", "anthropic/claude-haiku-4-5"],
		["claude-opus-5", "anthropic/claude-opus-5"],
		["anthropic/claude-opus-5", "anthropic/claude-opus-5"],
		["anthropic/opus", "anthropic/claude-opus-5-10"],
		["bedrock/opus", "bedrock/claude-opus-9"],
		["Claude Haiku 4.5", "anthropic/claude-haiku-4-5"],
		["openai/gpt-6", "openai/gpt-6"],
		["openrouter/openai/gpt-6", "openrouter/openai/gpt-6"],
		["zai/glm-5", "openrouter/zai/glm-5"],
		["opus:high", "anthropic/claude-opus-5-10 high"],
		["anthropic/claude-opus-5:xhigh", "anthropic/claude-opus-5 xhigh"],
		["inherit", "anthropic/claude-sonnet-5"],
		["default", "anthropic/claude-sonnet-5"],
	])("%s is %s", (wanted, expected) => {
		expect(chosen(wanted)).toBe(expected);
	});

	it("is the first available one of several", () => {
		expect(chosen(["gemini-ultra", "haiku", "opus"])).toBe("anthropic/claude-haiku-4-5");
	});

	it("falls back to the session's model if unavailable, with a notice and a suggestion", () => {
		expect(chosen("gemini-ultra")).toBe("anthropic/claude-sonnet-5 model-not-available");
		expect(chosen("pus")).toBe("anthropic/claude-sonnet-5 model-not-available");
		expect(chosen("nowhere/thing:low")).toBe("anthropic/claude-sonnet-5 low model-not-available");
		expect(chooseModel(["claude-sonet-5"], models, session).notice?.message).toContain(
			"Did you mean `claude-sonnet-5`?",
		);
		expect(chooseModel(["x"], models, undefined)).toMatchObject({
			model: undefined,
			notice: { code: "model-not-available" },
		});
	});

	it("defaults to the session's model, without a notice", () => {
		expect(chosen([])).toBe("anthropic/claude-sonnet-5");
	});

	it("does not depend on the order of available models", () => {
		for (const wanted of ["opus", "gpt-6", "claude"]) {
			const there = chooseModel([wanted], models, session).model;
			expect(chooseModel([wanted], models.toReversed(), session).model).toEqual(there);
		}
	});
});
