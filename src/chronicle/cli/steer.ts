// The verbs by which a person steers a run: the word goes to whoever has the run; one that nobody has is taken up here and carried on
// where that is what the word is for.
import {
	abortWord,
	approveWord,
	exitCodes,
	findRun,
	type Project,
	pauseWord,
	type Raise,
	rejectWord,
	releaseWord,
	reopenWord,
	resumeWord,
	rewindWord,
	type Spoken,
	speak,
	startOfVisit,
	statusLines,
	tellWord,
	type Word,
} from "../project/index.ts";
import type { ReadLedger } from "../supervisor/index.ts";
import type { OptionKind, Parsed } from "./arguments.ts";
import { carryOn } from "./carry-on.ts";
import { chronicleVerbs } from "./index.ts";
import type { Complaint } from "./output.ts";
import { absentPerson } from "./run.ts";
import { runData } from "./run-data.ts";
import { commonOptions, commonUsage, isRunWord, type Verb, type VerbCall } from "./verb.ts";

type Make = (ledger: ReadLedger, words: string) => Word | Promise<Word>;

interface Steering {
	readonly name: string;
	/** What follows the verb. */
	readonly takes: string;
	readonly explained: string;
	readonly options?: Readonly<Record<string, OptionKind>>;
	readonly optionsUsage?: string;
	/** Whether a run that nobody has goes on after the word. */
	readonly afterwards: "go on" | "let go";
	/** The word, from the run and what was written; or what is wrong with that. */
	make(parsed: Parsed): Make | Complaint;
}

const needsState = (usage: string): Complaint => ({ code: "usage", message: `Name a state: ${usage}` });

const steerings: readonly Steering[] = [
	{
		name: "resume",
		takes: "[run] [words…]",
		explained: "Words go to the worker. A ceiling can be raised in the same breath; it must be above what is spent.",
		options: { cost: "value", tokens: "value", minutes: "value", moves: "value", state: "value" },
		optionsUsage: `  --cost <usd>  --tokens <n>  --minutes <n>  --moves <n>   new ceilings of the run
  --state <state>   of this state instead
`,
		afterwards: "go on",
		make(parsed) {
			const raise = raiseOf(parsed);
			return "code" in raise ? raise : ({ run }, words) => resumeWord(run, words, raise);
		},
	},
	{
		name: "approve",
		takes: "[run] [words…]",
		explained: "Words go to the next worker. Where files have changed since you were asked, the run asks again.",
		afterwards: "go on",
		make: () => (ledger, words) => approveWord(ledger.run, words),
	},
	{
		name: "reject",
		takes: "[run] <words…>",
		explained: "The same worker goes on in the same conversation.",
		afterwards: "go on",
		make: () => (ledger, words) => rejectWord(ledger.run, words),
	},
	{
		name: "tell",
		takes: "[run] <words…>",
		explained: "A run that waits goes on waiting.",
		afterwards: "let go",
		make: () => (ledger, words) => tellWord(ledger.run, words),
	},
	{
		name: "pause",
		takes: "[run]",
		explained: "resume goes on.",
		afterwards: "go on",
		make: () => (ledger) => pauseWord(ledger.run),
	},
	{
		name: "abort",
		takes: "[run] [why…]",
		explained: "Cleanup still runs. reopen can take it up again.",
		afterwards: "go on",
		make: () => (ledger, words) => abortWord(ledger.run, words),
	},
	{
		name: "release",
		takes: "[run] [state] [words…]",
		explained: "Without a state the move that was refused happens. The limit that led there starts over.",
		options: { done: "flag" },
		optionsUsage: "  --done            the run is done\n",
		afterwards: "go on",
		make: ({ text: [state, ...words], flags }) => {
			return (ledger) => releaseWord(ledger.run, state, words.join(" "), flags.has("done"));
		},
	},
	{
		name: "reopen",
		takes: "[run] <state> [words…]",
		explained: "It stays the same run with the same ledger.",
		afterwards: "go on",
		make: ({ text: [state, ...words] }) =>
			state === undefined
				? needsState("reopen [run] <state>")
				: (ledger) => reopenWord(ledger.run, state, words.join(" ")),
	},
	{
		name: "rewind",
		takes: "[run] <visit>",
		explained: "What there was before is kept: rewinding to the visit that this begins undoes it. resume goes on.",
		afterwards: "go on",
		make: ({ text: [visit = ""] }) =>
			/^\d{1,6}$/.test(visit)
				? async (ledger) => rewindWord(ledger.run, Number(visit), await startOfVisit(ledger, Number(visit)))
				: {
						code: "usage",
						message: "Name a visit by its number: rewind [run] <visit>. status and report number them.",
					},
	},
];

export const steeringVerbs: readonly Verb[] = steerings.map((steering) => ({
	name: steering.name,
	usage: `pi-chronicle ${steering.name} [options] ${steering.takes}

${aboutVerb(steering.name)} ${steering.explained}
A run is named by its id, the beginning of it, or \`last\`; left out, it is the one at work, else the last.

${commonUsage}  --run <run>     the run, where its name could be taken for words
${steering.optionsUsage ?? ""}
Exit code: as of run, where the run goes on here; else 0 it was said, 2 it does not apply.
`,
	grammar: {
		options: { ...commonOptions, run: "value", ...steering.options },
		textAfter: 0,
		isName: isRunWord,
	},
	needs: "pi",
	perform: (call) => steer(steering, call),
}));

function aboutVerb(name: string): string {
	const about = chronicleVerbs.find((verb) => verb.name === name)?.about ?? "";
	return `${about.charAt(0).toUpperCase()}${about.slice(1)}.`;
}

async function steer(steering: Steering, { parsed, project, output, signal }: VerbCall): Promise<number | Complaint> {
	const { names, text, values } = onlyNumber(steering, parsed);
	const made = steering.make({ ...parsed, text });
	if ("code" in made) return made;
	const named = values.run ?? names[0];
	const found = await findRun(project, named);
	if (!found.ok) return { code: found.failure.reason, ...found.failure };
	const words = text.join(" ").trim();
	const spoken = await speak(project, found.value, (ledger) => made(ledger, words), {
		approver: absentPerson,
		afterwards: steering.afterwards,
	});
	return conclude(steering, project, found.value, spoken, { output, signal });
}

/** A number alone is a visit, also where it could begin an id. */
function onlyNumber({ name }: Steering, parsed: Parsed): Parsed {
	const [only = ""] = parsed.names;
	const isVisit = name === "rewind" && parsed.text.length === 0 && /^\d{1,6}$/.test(only);
	return isVisit ? { ...parsed, names: [], text: [only] } : parsed;
}

async function conclude(
	{ name }: Steering,
	project: Project,
	id: string,
	spoken: Spoken,
	{ output, signal }: Pick<VerbCall, "output" | "signal">,
): Promise<number | Complaint> {
	switch (spoken.kind) {
		case "refused":
			return { code: "refused", message: spoken.message };
		case "failed":
			return { code: spoken.failure.reason, ...spoken.failure };
		case "attended": {
			for (const note of changedTemplate(project, spoken.before)) output.progress(`! ${note}`);
			for (const repair of spoken.live.ledger.repairs) output.progress(`! ${repair}`);
			const { exitCode, how } = await carryOn(project, spoken.live, output, signal);
			// What was asked for has been done, whatever the run waits for now.
			const asked = name === "pause" || name === "abort" || name === "rewind";
			return asked && how === "parked" ? exitCodes.done : exitCode;
		}
		case "said":
		case "recorded":
		case "taken":
		case "left": {
			const read = await project.store.read(id);
			if (!read.ok) return { code: read.failure.reason, ...read.failure };
			const how =
				spoken.kind === "taken"
					? `Process ${spoken.holder.pid}, which has the run, has heard it.`
					: spoken.kind === "left"
						? `It is left for process ${spoken.holder.pid}, which has the run and has not heard it yet.`
						: "It is recorded.";
			const now = new Date(project.clock.now()).toISOString();
			const lines = statusLines(read.value, { now, prefix: "pi-chronicle " });
			output.result([how, ...lines], { exitCode: exitCodes.done, heard: spoken.kind, ...runData(read.value) });
			return exitCodes.done;
		}
	}
}

/** A note where the template's file says something else now. */
function changedTemplate(project: Project, { template }: ReadLedger["run"]): string[] {
	const now = project.templates().templates.get(template.name)?.read;
	return now && now.hash !== template.hash
		? [`The template "${template.name}" has changed since; the run keeps to the one that it began with.`]
		: [];
}

function raiseOf({ values }: Parsed): Raise | Complaint {
	const raise: { -readonly [K in keyof Raise]: Raise[K] } = {};
	for (const [option, field, unit] of [
		["cost", "costUsd", 1],
		["tokens", "tokens", 1],
		["minutes", "activeMs", 60_000],
		["moves", "moves", 1],
	] as const) {
		const written = values[option];
		if (written === undefined) continue;
		const number = Number(written.replace(/^\$/, "").replaceAll(/[_,](?=\d{3})/g, ""));
		if (written.trim() === "" || !Number.isFinite(number) || number <= 0)
			return { code: "usage", message: `--${option} wants a number above 0, not "${written}".` };
		raise[field] = number * unit;
	}
	if (values.state !== undefined && Object.keys(raise).length === 0)
		return { code: "usage", message: "--state goes with a new ceiling: --cost, --tokens, --minutes." };
	return { ...raise, ...(values.state === undefined ? {} : { state: values.state }) };
}
