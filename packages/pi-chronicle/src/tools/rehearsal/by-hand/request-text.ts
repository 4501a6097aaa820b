// A request as Markdown: exactly what the model would see and is new, in the order in which it gets it.
import { counted } from "@pi-chronicle/core/definition";
import type { Share } from "./own-text.ts";
import { type HandRequest, messageText, type SeenMessage } from "./request.ts";

/** Number as in the names of files: `007`. */
export function padded(number: number): string {
	return String(number).padStart(3, "0");
}

/** The whole text of a request. */
export function requestMarkdown(request: HandRequest, share: Share): string {
	return [...requestHead(request, share), ...bodyOf(request)].join("\n\n");
}

function requestHead(
	{ number, place, conversation, turn, earlier, rewritten, messages }: HandRequest,
	share: Share,
): string[] {
	// The model reads "visit" as a visit of the run.
	const where = (conversation === place ? place : `${place} (conversation: ${conversation})`).replaceAll(
		", visit ",
		", time ",
	);
	const percent = share.all === 0 ? 0 : Math.round((share.own / share.all) * 100);
	const fresh = rewritten
		? "Earlier messages of this conversation were changed or dropped: all messages follow."
		: earlier === 0
			? "A new conversation: all messages follow."
			: `New in it: ${counted(messages.length, "message")}. You know the ${counted(earlier, "message")} before ${messages.length === 1 ? "it" : "them"}.`;
	return [
		`# Request ${padded(number)}: ${where}`,
		`Request ${turn} of this conversation. ${fresh} In all ${share.all.toLocaleString("en")} characters, ${percent} % of them by pi-chronicle.`,
	];
}

/** A part of a request: the system prompt, a tool, or a message. */
export interface RequestPart {
	readonly title: string;
	readonly text: string;
}

/** What is new in a request, without numbers and sizes: the same request has the same parts in every rehearsal. */
export function newParts({ turn, posted, messages }: HandRequest): RequestPart[] {
	const start =
		turn > 1
			? []
			: [
					{ title: "System prompt", text: posted.system },
					...posted.tools.map(({ name, description, parameters }) => ({
						title: `Tool ${name}`,
						text: `${description}\n${JSON.stringify(parameters, null, 1)}`,
					})),
				];
	return [...start, ...messages.map((message) => ({ title: messageTitle(message), text: messageText(message) }))];
}

function bodyOf({ system, tools, messages }: HandRequest): string[] {
	return [
		...(typeof system === "number"
			? [`System prompt: as in request ${padded(system)}.`]
			: ["## System prompt", fenced(system, "text")]),
		...toolLines(tools),
		...messages.flatMap((message) => [
			`## ${messageTitle(message)}`,
			...(message.text === "" ? [] : [fenced(message.text, "text")]),
			...(message.calls ?? []).map(({ tool, input }) => fenced(`${tool} ${JSON.stringify(input)}`, "text")),
		]),
	];
}

function toolLines(tools: HandRequest["tools"]): string[] {
	if (typeof tools === "number") return [`Tools: as in request ${padded(tools)}.`];
	if (tools.length === 0) return ["Tools: none."];
	const shown = tools.flatMap((tool) =>
		"shown" in tool ? [`${tool.name} (as in request ${padded(tool.shown)})`] : [],
	);
	return [
		"## Tools",
		...(shown.length > 0 ? [`${shown.join(", ")}.`] : []),
		...tools.flatMap((tool) =>
			"shown" in tool
				? []
				: [`### ${tool.name}`, fenced(tool.description, "text"), fenced(JSON.stringify(tool.parameters), "json")],
		),
	];
}

function messageTitle({ role, tool, failed }: SeenMessage): string {
	if (role === "tool") return `Result of ${tool}${failed ? " (failed)" : ""}`;
	return role === "user" ? "User message" : "Your own message";
}

/** A fenced block that no line of the text can end. */
function fenced(text: string, language: string): string {
	const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
	const fence = "`".repeat(longest + 1);
	return `${fence}${language}\n${text}\n${fence}`;
}
