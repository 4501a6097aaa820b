// `/chronicle <words>`: what a person can do, and what each word means.
// O1 a first word that is a verb is that verb; any other is the name of a template; O2 words for agents are passed on as they were written.
import type { ExtensionCommandContext } from "@earendil-works/pi-coding-agent";
import { say } from "../../../pi/index.ts";
import type { ReadLedger } from "../../core/index.ts";
import { exitCodeOfFailure, notFound, type Project, resolveModel } from "../../engine/index.ts";
import {
	askingElsewhere,
	dispatch,
	explainRedaction,
	holdsSecret,
	namesRun,
	onlyNumber,
	parseArguments,
	type RunCommand,
	resolveRun,
	type Steering,
	steerings,
} from "../commands/index.ts";
import { startChronicle } from "./begin.ts";
import { conclude } from "./conclude.ts";
import { personOf } from "./person.ts";
import { pruneRuns, removeOne } from "./remove.ts";
import { confirmRewind } from "./rewind.ts";
import type { ChronicleSession } from "./session.ts";
import { projectOf, refuseCommand } from "./session-project.ts";
import {
	type Look,
	showCheck,
	showDiff,
	showHelp,
	showList,
	showReport,
	showStatus,
	showTemplate,
	showView,
} from "./show.ts";
import { type lookingVerbs, verbNames } from "./verbs.ts";

interface Looking {
	readonly look: (look: Look) => Promise<void>;
	/** How many words it takes; the others look to it themselves. */
	readonly most?: number;
}

const looks: Readonly<Record<(typeof lookingVerbs)[number], Looking>> = {
	list: { look: showList, most: 0 },
	status: { look: showStatus, most: 1 },
	show: { look: showTemplate, most: 1 },
	diff: { look: showDiff },
	view: { look: showView, most: 1 },
	report: { look: showReport, most: 1 },
	remove: { look: removeOne, most: 1 },
	prune: { look: pruneRuns },
	check: { look: showCheck },
	help: { look: showHelp },
};

/** Runs `/chronicle <args>`. */
export async function runChronicle(
	session: ChronicleSession,
	ctx: ExtensionCommandContext,
	args: string,
): Promise<void> {
	const project = projectOf(ctx);
	const { word, rest } = firstWord(args);
	const verb = word === "" ? "list" : word;
	if (Object.hasOwn(looks, verb)) {
		const { look, most } = looks[verb as keyof typeof looks];
		const words = rest.split(/\s+/).filter(Boolean);
		const surplus = words[most ?? words.length];
		if (surplus !== undefined) return refuseCommand(ctx, `"${surplus}" is one word too many for /chronicle ${verb}.`);
		return look({ session, ctx, project, words });
	}
	const steering = steerings.find(({ name }) => name === word);
	if (steering) return steer(session, ctx, project, steering, rest);
	if (word === "start" || word === "run") {
		const started = firstWord(rest);
		if (started.word === "") return refuseCommand(ctx, "Name a template: /chronicle start <template> <task>");
		return begin(session, ctx, project, started.word, started.rest);
	}
	const catalogue = project.templates();
	if (!catalogue.templates.has(word)) return refuseCommand(ctx, notFound(word, catalogue, project, verbNames).message);
	return begin(session, ctx, project, word, rest);
}

/** Starts a template. Behind a task nothing is taken for an option here, and what looks like one of this program is no part of the task. */
async function begin(
	session: ChronicleSession,
	ctx: ExtensionCommandContext,
	project: Project,
	name: string,
	rest: string,
): Promise<void> {
	const parsed = parseArguments(rest.split(/\s+/).filter(Boolean), { options: {}, textAfter: 0 });
	if ("error" in parsed) return refuseCommand(ctx, parsed.error);
	return startChronicle(session, ctx, project, name, asWritten(rest, parsed.textAt, parsed.text.length));
}

function firstWord(text: string): { readonly word: string; readonly rest: string } {
	const [, word = "", rest = ""] = /^\s*(\S*)\s*([\s\S]*?)\s*$/.exec(text) ?? [];
	return { word, rest };
}

async function steer(
	session: ChronicleSession,
	ctx: ExtensionCommandContext,
	project: Project,
	steering: Steering,
	rest: string,
): Promise<void> {
	const entries = await project.store.list();
	const parsed = parseArguments(rest.split(/\s+/).filter(Boolean), {
		options: { run: "value", ...steering.options },
		textAfter: 0,
		isName: (word) => namesRun(word, entries),
	});
	if ("error" in parsed) return refuseCommand(ctx, parsed.error);
	const { names, text, values } = onlyNumber(steering, parsed);
	const model = values.model === undefined ? undefined : await resolveModel(project, values.model);
	if (typeof model === "object") return refuseCommand(ctx, `${model.message} ${model.remedy}`);
	const made = steering.make({ ...parsed, text }, model);
	if ("code" in made) return refuseCommand(ctx, made.message);
	const found = await resolveRun(project, values.run ?? names[0], [...session.lives.keys()]);
	if (!found.ok)
		return refuseCommand(ctx, `${found.failure.message} ${found.failure.remedy}`, exitCodeOfFailure(found.failure));
	const words = asWritten(rest, parsed.textAt, text.length);
	if (holdsSecret(words)) say(ctx, explainRedaction("words"), "warning");
	const live = session.lives.get(found.value);
	// Asked once, however often the run changes hands meanwhile.
	let asked: Promise<RunCommand> | undefined;
	// In the terminal an approval without words shows the question again.
	const isShown = steering.name === "approve" && words === "" && ctx.mode === "tui" && !live;
	const make = async (ledger: ReadLedger): Promise<RunCommand> => {
		const word = await made(ledger, words);
		if (isShown && word.kind === "answer" && isFree(ledger)) return { kind: "nothing" };
		if (steering.name !== "rewind" || word.kind !== "events") return word;
		asked ??= confirmRewind(ctx, project, word, ledger, live);
		return asked;
	};
	const result = await dispatch(project, found.value, make, {
		approver: personOf(session, ctx, project, isShown ? "called" : "uncalled"),
		notice: (text) => say(ctx, text, "warning"),
		live,
		afterwards: steering.afterwards,
	});
	const unnamed = values.run === undefined && names.length === 0;
	if (result.kind === "refused" && unnamed && (steering.name === "approve" || steering.name === "reject")) {
		const elsewhere = await askingElsewhere(project, found.value);
		if (!session.scope.closed) refuseCommand(ctx, `${result.message}${elsewhere}`);
		return;
	}
	await conclude(session, ctx, project, steering.name, found.value, result);
}

/** Whether no other process has the run. */
function isFree({ holder }: ReadLedger): boolean {
	return !holder || holder.alive === "no";
}

/** `count` words of a text from its word `from` on, with everything between them as it was written. */
function asWritten(text: string, from: number, count: number): string {
	const words = [...text.matchAll(/\S+/g)];
	const [first, last] = [words[from], words[from + count - 1]];
	return count === 0 || !first || !last ? "" : text.slice(first.index, last.index + last[0].length);
}
