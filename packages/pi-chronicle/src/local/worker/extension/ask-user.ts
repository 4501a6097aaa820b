// The tool `ask_user`: passes the worker's question to the supervisor and waits. The answer is the call's result; if this process ends first,
// the next one finds it in the conversation.
// One question per message; calls after a question in its message run once it is answered, those before it have run; a message that
// asks cannot end the state.
import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { Static, Type } from "typebox";
import { askHost, newestFirst } from "../../../pi/index.ts";
import { ASK_TOOL, type AskedQuestion, type RefusedCall, readHostReply, TRANSITION_TOOL } from "./protocol.ts";
import { failure } from "./tool-result.ts";

const maxQuestion = 4000;
const maxChoices = 9;
const maxChoice = 300;

function askParameters(schemas: typeof Type) {
	return schemas.Object({
		question: schemas.String(),
		choices: schemas.Optional(schemas.Array(schemas.String())),
	});
}

/** Registers `ask_user`. `refused` is told which call was refused here. */
export function registerAskTool(
	pi: ExtensionAPI,
	schemas: typeof Type,
	refused: (ctx: ExtensionContext, call: RefusedCall) => void,
): void {
	pi.registerTool({
		name: ASK_TOOL,
		label: "Ask",
		description:
			"Asks the user; the answer is the result. Only for what you cannot find out or decide; one question at a time.",
		parameters: askParameters(schemas),
		// Results of calls in the same message are in the session before the wait.
		executionMode: "sequential",
		annotations: { readOnlyHint: true, openWorldHint: false },
		async execute(call, { question, choices = [] }: Static<ReturnType<typeof askParameters>>, signal, _onUpdate, ctx) {
			const asked: AskedQuestion = {
				call,
				question: question.trim(),
				choices: [...new Set(choices.map((choice) => choice.trim()))].filter((choice) => choice !== ""),
			};
			const problem = whyUnasked(asked, ctx);
			if (problem !== undefined) return failure(problem);
			const reply = readHostReply(await askHost(ctx, "question", asked, signal));
			return reply?.kind === "answered"
				? { content: [{ type: "text", text: reply.text }], details: undefined }
				: failure(
						reply?.text ?? "The user was not asked, because the run is being stopped. Ask again when you continue.",
					);
		},
	});
	pi.on("tool_call", ({ toolName, toolCallId }, ctx) => {
		if (toolName !== TRANSITION_TOOL || firstQuestion(toolCallId, ctx) === undefined) return undefined;
		refused(ctx, { call: toolCallId, rule: "asked" });
		return {
			block: true,
			reason: "Not done: this message also asks the user. Read the answer first, then call it again.",
		};
	});
}

function whyUnasked({ call, question, choices }: AskedQuestion, ctx: ExtensionContext): string | undefined {
	if (firstQuestion(call, ctx) !== call)
		return "Not asked: one question at a time, and this message already asks one. Ask again after its answer.";
	if (question === "") return "Not asked: `question` is empty.";
	if (question.length > maxQuestion)
		return `Not asked: the question has ${question.length} characters, but the limit is ${maxQuestion}. Write the long part to a file, and name the file.`;
	if (choices.length > maxChoices || choices.some(({ length }) => length > maxChoice))
		return `Not asked: at most ${maxChoices} choices with ${maxChoice} characters each. Put the details into the question.`;
	return undefined;
}

/** The first call of `ask_user` in the message with `call`. */
function firstQuestion(call: string, { sessionManager }: ExtensionContext): string | undefined {
	for (const entry of newestFirst(sessionManager)) {
		if (entry.type !== "message" || entry.message.role !== "assistant") continue;
		const calls = entry.message.content.filter((part) => part.type === "toolCall");
		if (calls.some(({ id }) => id === call)) return calls.find(({ name }) => name === ASK_TOOL)?.id;
	}
	return undefined;
}
