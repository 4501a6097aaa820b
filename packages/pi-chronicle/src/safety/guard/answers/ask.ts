// The question about a call, with answers that are remembered: for exactly this call, or for a shape of commands and a time.
// Invariant: the first answer is the safe one, and every dialog says exactly what is remembered, and where.
import { homedir } from "node:os";
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { type Answer, answerKeys, askUser, chooseOption, hostEnvironment } from "../../../pi/index.ts";
import { type JudgedCall, placeName, questionText } from "../../policy/index.ts";
import { repositoryAbove } from "../../sandbox/index.ts";
import type { StoredAnswer } from "./file.ts";
import { isShape, type ShapedCall, shapedCall, shapesOf } from "./shape.ts";
import type { Subject } from "./subject.ts";

const no = "No";
const once = "Yes, once";
const session = "Yes, in this session";
const always = "Yes, always";
const never = "No, never";
const optionsForNow = [no, once, session] as const;
const alike = "For commands like this…";
const everyOption = [...optionsForNow, always, never, alike] as const;
type Option = (typeof everyOption)[number];
const keys = {
	[no]: answerKeys.no,
	[once]: answerKeys.yes,
	[session]: answerKeys.inSession,
	[always]: answerKeys.always,
	[never]: answerKeys.never,
	[alike]: answerKeys.alike,
};
const isYes: ReadonlySet<Option> = new Set([once, session, always]);

/** The user's answer, and what is to be remembered of it. */
interface AskedRules {
	readonly answer: Answer;
	readonly given?: StoredAnswer;
	readonly holds?: "session" | "always";
}

/** Asks about a call. `subject`: what an answer is remembered for; `stores`: whether permanent answers can be stored. */
export async function askToRemember(
	{ call, verdicts, footprint }: JudgedCall,
	ctx: ExtensionContext,
	subject: Subject | undefined,
	stores: boolean,
): Promise<AskedRules> {
	const question = { ...questionText(call, verdicts, ctx.cwd), signal: ctx.signal, uncalled: true };
	if (!subject) return { answer: await askUser(ctx, question) };
	const shaped = stores ? shapedCall({ call, verdicts, footprint }) : undefined;
	const options = (stores ? everyOption : optionsForNow).filter((option) => option !== alike || shaped !== undefined);
	const message = `${question.message}\n\nA remembered answer applies to exactly this: ${subjectText(subject)}.`;
	const chosen = await chooseOption(ctx, { ...question, message, options, keys, leave: "Esc refuses" });
	if (chosen === "nobody") return { answer: "nobody" };
	if (chosen === alike && shaped) return askAlike(ctx, shaped, subject);
	const answer = chosen !== undefined && isYes.has(chosen) ? "yes" : "no";
	const given = { answer, subject, at: new Date().toISOString() } as const;
	if (chosen === session) return { answer, given, holds: "session" };
	return chosen === always || chosen === never ? { answer, given, holds: "always" } : { answer };
}

const hour = "Yes, for an hour";
const inProject = "Yes, always in this project";
const notInProject = "No, never in this project";

/** Asks which commands an answer is for, and for how long. */
async function askAlike(ctx: ExtensionContext, call: ShapedCall, subject: Subject): Promise<AskedRules> {
	const folder = projectFolder(subject.folder);
	const shapes = shapesOf(call, subject, folder);
	const texts = [no, ...shapes.map(({ text }) => text)];
	const leave = "Esc refuses";
	const common = { signal: ctx.signal, leave };
	const which = await chooseOption(ctx, {
		...{ ...common, title: "For which commands?", options: texts, keys: {} },
		message: `\`*\` is any further words. The answer applies to one command by itself, in ${placeName(folder, "", homedir())} and below, which changes nothing outside of it, as long as only the same rules ask: ${subject.rules.join("; ")}.`,
	});
	const shape = shapes.find(({ text }) => text === which);
	if (!shape) return { answer: "no" };
	const chosen = await chooseOption(ctx, {
		...{ ...common, title: "For how long?", message: `Commands \`${shape.text}\`` },
		options: [no, session, hour, inProject, notInProject],
		keys: {
			[no]: answerKeys.no,
			[session]: answerKeys.inSession,
			[hour]: answerKeys.forAnHour,
			[inProject]: answerKeys.always,
			[notInProject]: answerKeys.never,
		},
	});
	const now = Date.now();
	const given = {
		answer: chosen === notInProject ? "no" : "yes",
		subject: shape,
		at: new Date(now).toISOString(),
	} as const;
	switch (chosen) {
		case session:
			return { answer: given.answer, given, holds: "session" };
		case hour:
			return {
				...{ answer: given.answer, holds: "always" },
				given: { ...given, until: new Date(now + hourMs).toISOString() },
			};
		case inProject:
		case notInProject:
			return { answer: given.answer, given, holds: "always" };
		default:
			return { answer: "no" };
	}
}

const hourMs = 3_600_000;

/** The repository that a folder is in, else the folder. */
function projectFolder(folder: string): string {
	return repositoryAbove(folder, hostEnvironment(folder)) ?? folder;
}

/** A subject on one line. */
export function subjectText(subject: Subject): string {
	const { tool, text, folder } = subject;
	const here = placeName(folder, "", homedir());
	if (isShape(subject)) return `commands \`${text}\` in ${here} and below`;
	return tool === "bash"
		? `the command \`${text}\` in ${here}`
		: `${tool} of ${placeName(text, "", homedir())} from ${here}`;
}
