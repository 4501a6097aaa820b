// What users read of a provider's error: the shapes in which the providers send one, each with its own sentence.
import { expect, it } from "vitest";
import { providerSentence } from "../../../src/pi/index.ts";

it.each([
	[
		"Anthropic",
		'401 {"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"},"request_id":"req_1"}',
		"401 invalid x-api-key",
	],
	["OpenAI", '{"error":{"message":"Slow down.","type":"requests","code":null}}', "Slow down."],
	[
		"Google",
		'Error: 429 [{"error":{"code":429,"message":"Quota exceeded","status":"RESOURCE_EXHAUSTED"}}]',
		"Error: 429 Quota exceeded",
	],
	["Ollama", '404 {"error":"model \\"x\\" not found"}', '404 model "x" not found'],
	["AWS", '{"message":"Too many requests","__type":"ThrottlingException"}', "Too many requests"],
	["FastAPI", '422 {"detail":"Field required"}', "422 Field required"],
])("the sentence of %s", (_provider, error, shown) => {
	expect(providerSentence(error)).toBe(shown);
});

it.each([
	"fetch failed",
	"",
	"529 {overloaded}",
	'500 {"error":{}}',
	'500 {"error":{"message":""}}',
	'500 {"error":{"mess',
	'{"error":{"message":"a"}} and more',
	"400 [1, 2]",
])("leaves %j as it is", (error) => {
	expect(providerSentence(error)).toBe(error);
});
