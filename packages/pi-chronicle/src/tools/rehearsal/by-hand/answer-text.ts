// What a player types: a message of the model, or a decision of the user, one instruction per line. Pure.
// A text with a mistake is never acted on: all its problems are returned with their lines.

/** One message of the player as the model. */
import { errorMessage } from "@pi-chronicle/core/definition";
export interface ModelAnswer {
	readonly text: string;
	readonly calls: readonly { readonly tool: string; readonly input: Record<string, unknown> }[];
}

/** A decision of the player as the user. */
export type PlayedDecision =
	| { readonly kind: "approve"; readonly words?: string }
	| { readonly kind: "reject"; readonly words: string }
	| { readonly kind: "answer"; readonly words: string }
	/** Sends the run to a state, or back to a phase. */
	| { readonly kind: "release"; readonly to: string; readonly words: string }
	/** Ends the rehearsal. */
	| { readonly kind: "stop" };

export type TypedText<T> =
	| { readonly kind: "whole"; readonly value: T }
	/** The last line, `end`, is missing so far. */
	| { readonly kind: "unfinished" }
	| { readonly kind: "wrong"; readonly problems: readonly string[] };

/** How to write an answer, for the texts that ask for one. */
export const answerHelp = [
	"say <text>          one line of the message's text; may be repeated",
	"call <tool> {json}  a tool call with its arguments, on one line; may be repeated",
	"end                 ends the message",
];

/** How to write a decision. */
export const decisionHelp = [
	"approve [<words>]          yes: the run continues; the words reach the agents that follow",
	"reject <words>             no, with words for the agent that asked",
	"answer <words>             words that answer the agent's question",
	"release <state> [<words>]  the run continues in this state; in a workflow: back to this phase",
	"stop                       the rehearsal ends here",
];

export const emptyMessage = "The message is empty: it needs at least one `say` or `call`.";

/** Reads one line of an answer; a string says what is wrong with it. */
export function readAnswerLine(
	line: string,
): { say: string } | { call: ModelAnswer["calls"][number] } | "end" | { problem: string } {
	const [, word = "", rest = ""] = /^\s*(\S*)[^\S\n]?(.*)$/s.exec(line) ?? [];
	if (word === "say") return { say: rest };
	if (word === "end" && rest.trim() === "") return "end";
	if (word === "call") return readCall(rest);
	return {
		problem: `A line starts with \`say\`, \`call\` or \`end\`, not with \`${word.slice(0, 40)}\`. Text of several lines needs one \`say\` for each.`,
	};
}

function readCall(rest: string): { call: ModelAnswer["calls"][number] } | { problem: string } {
	const [, tool = "", json = ""] = /^\s*([^\s{]*)\s*(.*)$/s.exec(rest) ?? [];
	if (tool === "") return { problem: 'The tool\'s name is missing: `call read {"path": "a.txt"}`.' };
	const written = json.trim() === "" ? "{}" : json;
	try {
		const input: unknown = JSON.parse(written);
		if (typeof input !== "object" || input === null || Array.isArray(input))
			return { problem: `The arguments of ${tool} are one JSON object: \`call ${tool} {"name": "value"}\`.` };
		return { call: { tool, input: input as Record<string, unknown> } };
	} catch (error) {
		const why = errorMessage(error);
		return { problem: `The arguments of ${tool} are not valid JSON on one line: ${why}` };
	}
}

/** Reads a whole answer. `end`: whether it may lack the last line, as a file that nobody writes to any more. */
export function readAnswer(text: string, end: "required" | "implied"): TypedText<ModelAnswer> {
	const lines = text
		.split(/\r?\n/)
		.map((line, index) => ({ number: index + 1, line }))
		.filter(({ line }) => line.trim() !== "")
		.map(({ number, line }) => ({ number, read: readAnswerLine(line) }));
	const ending = lines.findIndex(({ read }) => read === "end");
	if (ending === -1 && end === "required") return { kind: "unfinished" };
	const problems = lines.flatMap(({ number, read }, index) => {
		if (ending !== -1 && index > ending) return [`Line ${number}: Nothing may follow \`end\`.`];
		return typeof read === "object" && "problem" in read ? [`Line ${number}: ${read.problem}`] : [];
	});
	const said = lines.flatMap(({ read }) => (typeof read === "object" && "say" in read ? [read.say] : []));
	const calls = lines.flatMap(({ read }) => (typeof read === "object" && "call" in read ? [read.call] : []));
	if (problems.length === 0 && said.length === 0 && calls.length === 0) problems.push(emptyMessage);
	return problems.length > 0 ? { kind: "wrong", problems } : { kind: "whole", value: { text: said.join("\n"), calls } };
}

/** The lines that {@link readAnswer} reads as this answer. */
export function writeAnswer({ text, calls }: ModelAnswer): string {
	return [
		...(text === "" ? [] : text.split("\n").map((line) => `say ${line}`)),
		...calls.map(({ tool, input }) => `call ${tool} ${JSON.stringify(input)}`),
		"end",
	].join("\n");
}

/** Reads a decision: its first line; a line `end` may follow. */
export function parseDecision(text: string): TypedText<PlayedDecision> {
	const [line = "", ...more] = text
		.split(/\r?\n/)
		.map((each) => each.trim())
		.filter((each) => each !== "");
	if (line === "") return { kind: "unfinished" };
	if (more.some((each) => each !== "end")) return wrongLine("A decision is one line.");
	const [, word = "", words = ""] = /^(\S+)\s*(.*)$/s.exec(line) ?? [];
	switch (word) {
		case "approve":
			return { kind: "whole", value: words === "" ? { kind: word } : { kind: word, words } };
		case "stop":
			return words === "" ? { kind: "whole", value: { kind: word } } : wrongLine("`stop` takes no words.");
		case "reject":
		case "answer":
			return words === ""
				? wrongLine(`\`${word}\` needs words for the agent.`)
				: { kind: "whole", value: { kind: word, words } };
		case "release": {
			const [, to = "", rest = ""] = /^(\S*)\s*(.*)$/s.exec(words) ?? [];
			return to === ""
				? wrongLine("`release` needs the name of a state.")
				: { kind: "whole", value: { kind: "release", to, words: rest } };
		}
		default:
			return wrongLine(`A decision is \`approve\`, \`reject\`, \`answer\`, \`release\` or \`stop\`, not \`${word}\`.`);
	}
}

function wrongLine(problem: string): TypedText<never> {
	return { kind: "wrong", problems: [`Line 1: ${problem}`] };
}

/** The line that {@link parseDecision} reads as this decision. */
export function writeDecision(decision: PlayedDecision): string {
	switch (decision.kind) {
		case "stop":
			return decision.kind;
		case "approve":
			return `approve ${decision.words ?? ""}`.trim();
		case "reject":
		case "answer":
			return `${decision.kind} ${decision.words}`;
		case "release":
			return `release ${decision.to} ${decision.words}`.trim();
	}
}
