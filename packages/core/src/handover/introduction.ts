// The first part of a worker's first message: who it is in the run, what happened before it, what it may do.
import type { ChildRole, EarlierCall, EarlierTry, FirstMessageBrief, Rewound } from "./first-message-brief.ts";

/** Names on the way, around this state, when there are more. */
const longestWay = 9;

/** Markdown paragraphs. */
export function introduction(brief: FirstMessageBrief): readonly string[] {
	const { run, visit, state, child, earlier, rewound, abilities } = brief;
	const isReader = abilities !== undefined && !abilities.edits && !abilities.runs;
	const place = `You work on the state "${state.name}" (visit ${visit} of the run "${run}"): ${wayText(brief)}.`;
	const purpose = state.description === undefined ? "" : `Its purpose: ${state.description}`;
	return [
		[child && isOneState(brief, child) ? `You are ${childText(child, isReader)}` : place, purpose]
			.filter(Boolean)
			.join(" "),
		child && !isOneState(brief, child) ? `This run is ${childText(child, isReader)}` : "",
		rewound ? rewoundText(rewound) : "",
		earlier ? earlierText(earlier) : "",
		abilitiesText(brief),
	];
}

/** Whether the run is no more than what its parent calls it: an inline child of one state, of the same name, at its first visit. */
function isOneState({ run, visit, state, way }: FirstMessageBrief, { name }: ChildRole): boolean {
	return visit === 1 && run === name && state.name === name && way.length <= 2;
}

function wayText({ way, state }: FirstMessageBrief): string {
	const named = way.map((name) => (name === state.name ? `${name} (you)` : name));
	if (named.length <= longestWay) return named.join(" → ");
	const at = way.indexOf(state.name);
	const from = Math.max(0, Math.min(at - Math.floor(longestWay / 2), named.length - longestWay));
	const part = named.slice(from, from + longestWay);
	return [from > 0 ? "…" : "", ...part, from + longestWay < named.length ? "…" : ""].filter(Boolean).join(" → ");
}

/** `isReader`: it changes no files, so that it does not matter who shares them. */
function childText({ name, siblings, needs, files, run, state, reader, notes }: ChildRole, isReader: boolean): string {
	const shared = isReader ? "" : "; you share one folder";
	const others = siblings.filter((other) => other !== name);
	const side =
		others.length === 0
			? ""
			: ` ${quotedNames(others)} ${others.length === 1 ? "works" : "work"} at the same time${files === "shared" ? shared : "; each has its own copy of the files, and the changes are merged"}.`;
	const base =
		needs.length === 0
			? ""
			: ` You build on ${quotedNames(needs)}: ${files === "own" ? "the files have those changes, and " : ""}the summaries and findings are below.`;
	const changes =
		files === "own" && !isReader ? "Your changes to files are merged into its files; besides them, only" : "Only";
	const results =
		reader === undefined ? "" : ` ${changes} your summary, findings and tasks go to "${reader}" of that run.`;
	return `the child "${name}" of the run "${run}", started in its state "${state}".${base}${side}${results}${["", ...notes].join(" ")}`;
}

const mostNamed = 12;

function quotedNames(names: readonly string[]): string {
	const named = names.slice(0, mostNamed).map((name) => `"${name}"`);
	return [...named, ...(names.length > mostNamed ? [`${names.length - mostNamed} more`] : [])].join(", ");
}

function rewoundText({ to, state, last, left, unfinished }: Rewound): string {
	const visits = to === last ? `visit ${to}` : `visits ${to} to ${last}`;
	const except = left === 0 ? "" : ` ${left} ${left === 1 ? "file" : "files"} could not be set back.`;
	if (unfinished) {
		const back = `The user undid a rewind. The files are again as they were in visit ${to} ("${state}"), with what its workers had changed by then.${except}`;
		return [back, ...(unfinished.length > 0 ? ["Its last finished calls:", earlierCallLines(unfinished)] : [])].join(
			"\n",
		);
	}
	return `The user set the run back to the start of visit ${to} ("${state}"). The files are as they were then: what ${visits} changed is undone.${except}`;
}

function earlierText({ why, setBack, calls, inFlight }: EarlierTry): string {
	const undone = calls.filter((call) => call.undone);
	const kept = calls.filter((call) => !call.undone);
	return [
		`${why} You do not see its conversation.`,
		setBack ? setBackText(undone) : "The files are as it left them.",
		kept.length > 0 ? `Its last finished calls:\n${earlierCallLines(kept)}` : "",
		inFlightText(inFlight),
	]
		.filter(Boolean)
		.join("\n");
}

/** What is true of the files after another host took over. `undone`: finished calls. */
export function setBackText(undone: readonly EarlierCall[]): string {
	const what = "Another host took over, and the files were set back to the last snapshot that was published";
	return undone.length === 0
		? `${what}: later changes are gone.`
		: `${what}: what these calls changed is undone.\n${earlierCallLines(undone)}`;
}

/** Calls whose effect is unknown. */
export function inFlightText(calls: readonly EarlierCall[]): string {
	if (calls.length === 0) return "";
	const what = calls.some(({ undone }) => undone)
		? "In flight when it ended; what they changed in the files is undone"
		: "In flight when it ended; whether they took effect is unknown, so check before you repeat them";
	return `${what}:\n${earlierCallLines(calls)}`;
}

function earlierCallLines(calls: readonly EarlierCall[]): string {
	return calls.map(({ tool, args, failed }) => `- ${tool} ${args}${failed ? " (failed)" : ""}`).join("\n");
}

function abilitiesText({ abilities, freeShell, cwd }: FirstMessageBrief): string {
	if (!abilities) return "";
	const { edits, runs } = abilities;
	if (edits)
		return `You may read${runs ? ", edit and run commands" : " and edit files"} in ${cwd}${runs ? " and in temporary folders" : ""}.`;
	if (!runs) return `You may read files in ${cwd}; you can neither run commands nor change anything.`;
	const limit = freeShell ? "." : ", but not change the project. Temporary folders are free.";
	return `You may read files and run commands in ${cwd}${limit}`;
}
