// pi's `models.json` for the provider `scripted`, whose models are all served by the scripted model server.

/** What tests pass to `--model` unless they choose another: no thinking, a context of 200,000 tokens. */
export const defaultModel = "scripted/one";

/**
 * The models of provider `scripted`: `one` and `two` are equal, `thinker` has thinking levels, `small` has a context window of
 * 20,000 tokens. Prices in USD per million tokens: input 1, output 2, cache read 0.1, cache write 1.25.
 */
export function scriptedModels(url: string): unknown {
	const cost = { input: 1, output: 2, cacheRead: 0.1, cacheWrite: 1.25 };
	const model = (id: string, rest: Record<string, unknown> = {}) => ({
		id,
		name: `Scripted ${id}`,
		reasoning: false,
		input: ["text"],
		cost,
		contextWindow: 200_000,
		maxTokens: 8_192,
		...rest,
	});
	return {
		providers: {
			scripted: {
				name: "Scripted",
				baseUrl: `${url}/v1`,
				api: "openai-completions",
				apiKey: "no-key-needed",
				compat: { supportsReasoningEffort: true, supportsDeveloperRole: false, maxTokensField: "max_tokens" },
				models: [
					model("one"),
					model("two"),
					model("thinker", { reasoning: true }),
					model("small", { contextWindow: 20_000, maxTokens: 2_048 }),
				],
			},
		},
	};
}
