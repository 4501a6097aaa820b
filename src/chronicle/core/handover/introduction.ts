// The first part of a worker's first message: who it is in the run, what happened before it, what it may do.
import type { WorkerAbilities } from "../ports/index.ts";
import type {
	ChildRole,
	EarlierCall,
	EarlierTry,
	FirstMessageBrief,
	NextState,
	Rewound,
} from "./first-message-brief.ts";

/** Names on the way, around this state, when there are more. */
const longestWay = 9;

/** Markdown paragraphs. */
export function introduction(brief: FirstMessageBrief): readonly string[] {
	const { run, state, child, earlier, rewound } = brief;
	const purpose = state.description === undefined ? "" : ` Its purpose: ${state.description}`;
	return [
		`You work on the state "${state.name}" (run "${run}"): ${wayText(brief)}.${purpose}`,
		nextText(brief),
		child ? childText(child) : "",
		rewound ? rewoundText(rewound) : "",
		earlier ? earlierText(earlier) : "",
		abilitiesText(brief),
	];
}

function wayText({ way, state }: FirstMessageBrief): string {
	const named = way.map((name) => (name === state.name ? `${name} (you)` : name));
	if (named.length <= longestWay) return named.join(" → ");
	const at = way.indexOf(state.name);
	const from = Math.max(0, Math.min(at - Math.floor(longestWay / 2), named.length - longestWay));
	const part = named.slice(from, from + longestWay);
	return [from > 0 ? "…" : "", ...part, from + longestWay < named.length ? "…" : ""].filter(Boolean).join(" → ");
}

/** Who comes next. */
function nextText({ next }: FirstMessageBrief): string {
	const known = next.flatMap((state) => {
		const what = whatItIs(state);
		return what === "" ? [] : [`\`${state.name}\` (${what})`];
	});
	const approved = next.filter((state) => state.approved).map(({ name }) => `\`${name}\``);
	const asks =
		approved.length === 0
			? ""
			: approved.length === next.length
				? " The user must approve your exit."
				: ` The user must approve the move to ${approved.join(" and ")}.`;
	return `${known.length === 0 ? "" : `After you: ${known.join(", ")}.`}${asks}`.trim();
}

function whatItIs({ by, abilities, children }: NextState): string {
	switch (by) {
		case "worker":
			return abilities ? doings(abilities) : "";
		case "children":
			return children ?? "";
		case "user":
		case "end":
			return "";
	}
}

function doings({ edits, runs, other }: WorkerAbilities): string {
	const can = ["reads", ...(edits ? ["edits"] : []), ...(runs ? ["runs commands"] : []), ...(other ? ["more"] : [])];
	return can.length === 1 ? "only reads" : can.join(", ");
}

function childText({ name, siblings, files, run, state, reader }: ChildRole): string {
	const others = siblings.filter((other) => other !== name);
	const side =
		others.length === 0
			? ""
			: ` At the same time ${others.length === 1 ? "works" : "work"} ${listed(others)}; ${files === "shared" ? "you share one folder" : "each has its own copy of the files, and the changes are merged"}.`;
	const results =
		reader === undefined ? "" : ` The worker of "${reader}" reads your summaries, findings and tasks, nothing else.`;
	return `It is the child "${name}" of the run "${run}", which started it in its state "${state}".${side}${results}`;
}

const mostNamed = 12;

function listed(names: readonly string[]): string {
	const named = names.slice(0, mostNamed).map((name) => `"${name}"`);
	return [...named, ...(names.length > mostNamed ? [`${names.length - mostNamed} more`] : [])].join(", ");
}

function rewoundText({ to, state, last, left }: Rewound): string {
	const visits = to === last ? `visit ${to}` : `visits ${to} to ${last}`;
	const except = left === 0 ? "" : ` ${left} ${left === 1 ? "file" : "files"} could not be set back.`;
	return `The user set the run back to the start of visit ${to} ("${state}"). The files are as they were then: what ${visits} changed is undone.${except}`;
}

function earlierText({ why, setBack, calls, inFlight }: EarlierTry): string {
	const undone = calls.filter((call) => call.undone);
	const kept = calls.filter((call) => !call.undone);
	return [
		`${why} You do not see its conversation.`,
		setBack ? setBackText(undone) : "The files are as it left them.",
		kept.length > 0 ? `Its last finished calls:\n${callLines(kept)}` : "",
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
		: `${what}: what these calls changed is undone.\n${callLines(undone)}`;
}

/** Calls whose effect is unknown. */
export function inFlightText(calls: readonly EarlierCall[]): string {
	if (calls.length === 0) return "";
	const what = calls.some(({ undone }) => undone)
		? "In flight when it ended; what they changed in the files is undone"
		: "In flight when it ended; whether they took effect is unknown, so check before you repeat them";
	return `${what}:\n${callLines(calls)}`;
}

function callLines(calls: readonly EarlierCall[]): string {
	return calls.map(callLine).join("\n");
}

function callLine({ tool, args, failed }: EarlierCall): string {
	return `- ${tool} ${args}${failed ? " (failed)" : ""}`;
}

function abilitiesText({ abilities, freeShell, cwd }: FirstMessageBrief): string {
	if (!abilities) return "";
	const { edits, runs } = abilities;
	if (edits)
		return `You may read${runs ? ", edit and run commands" : " and edit files"} in ${cwd}${runs ? " and in temporary folders" : ""}.`;
	if (!runs) return `You may read files; you change nothing. The project is in ${cwd}.`;
	const limit = freeShell ? "." : ", but not change the project. Temporary folders are free.";
	return `You may read files and run commands in ${cwd}${limit}`;
}
