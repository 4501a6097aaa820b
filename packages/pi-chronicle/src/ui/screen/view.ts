// The run view: a screen with the history, a visit's transcript (live while its worker runs), its diff, the run's knowledge, and its events.
// It only reads and draws, and blocks nothing. Without a key press it redraws at most once a second; every line fits the width.

import type { KeybindingsManager } from "@earendil-works/pi-coding-agent";
import { errorMessage } from "@pi-chronicle/core/definition";
import { conversationsOf, firstInSight, RunHistory, type Visit } from "@pi-chronicle/core/history";
import type { LaunchId, LedgerEvent, Run } from "@pi-chronicle/core/machine";
import {
	dim,
	fitLine,
	frame,
	frameRows,
	jumpByKey,
	type Line,
	lineWidth,
	moveByKey,
	openWindow,
	type Paint,
	paintLine,
	plain,
} from "../../tui/index.ts";
import { runFigures, runStatusText, templateNameOf, titleOf, undoneOf } from "../phrases/index.ts";
import { changesHead, patchPage } from "./patch.ts";
import { readCommandOutput, readTranscript } from "./transcript.ts";
import { childrenOf, childrenPage, type FocusedLines } from "./view-children.ts";
import { eventLine, historyPage, knowledgePage } from "./view-pages.ts";
import type { ViewSource } from "./view-source.ts";

const everyPage = ["History", "Transcript", "Diff", "Knowledge", "Events", "Children"] as const;
type PageName = (typeof everyPage)[number];

type SeenVisit = Pick<Visit, "number" | "state"> & { readonly launches: readonly LaunchId[] };

interface Page {
	readonly lines: readonly Line[];
	/** Lines that n and p jump to. */
	readonly marks: readonly number[];
	readonly dress?: (index: number) => Line;
	/** Lines that must be visible, if they fit. */
	readonly focus?: FocusedLines;
}

/** Maximum number of events kept for the page of events; the file has the rest. */
const maxEvents = 2000;
const redrawMs = 1000;
/** Events that are read before keys are handled again. */
const eventsAtOnce = 200;
/** Below these widths the id, then the name, is omitted. */
const roomy = 72;
const narrow = 48;

export interface ViewTerminal {
	readonly paint: Paint;
	requestRender(): void;
	/** Opens the view of a child run over this one. Absent: it cannot be opened. */
	openChild?(id: string): void;
	/** What Esc does; default: it closes. */
	readonly leaves?: string;
}

/** The view without a screen: it draws rows, and handles keys. */
export class RunView {
	#name: PageName = "History";
	#window: ReturnType<typeof openWindow>;
	#marks: readonly number[] = [];
	/** The selected visit; `undefined`: the newest, even after the run moves. */
	#chosen: number | undefined;
	/** Counts loads: a page that arrives late never replaces a page that was requested later. */
	#loads = 0;
	readonly #events: LedgerEvent[] = [];
	readonly #history = new RunHistory();
	/** Index of the selected child among those of all visits. */
	#child = 0;
	#lastSeq = 0;
	/** Columns of the last drawing. */
	#width = 80;
	#reading: Promise<void> | undefined;
	#isRead = false;
	#timer: NodeJS.Timeout | undefined;
	readonly #source: ViewSource;
	readonly #terminal: ViewTerminal;
	readonly #unwatch: () => void;

	constructor(source: ViewSource, terminal: ViewTerminal) {
		this.#source = source;
		this.#terminal = terminal;
		this.#window = openWindow(terminal.paint, true);
		// A change schedules a redraw; at most one timer is active.
		this.#unwatch = source.watch(() => {
			this.#timer ??= setTimeout(() => {
				this.#timer = undefined;
				// The diff stays unchanged while the user reads it; r refreshes it.
				if (this.#name !== "Diff") void this.#load();
				else terminal.requestRender();
			}, redrawMs);
		});
		void this.#load();
	}

	dispose(): void {
		this.#loads += 1;
		this.#unwatch();
		clearTimeout(this.#timer);
	}

	render(width: number, terminalRows: number): string[] {
		const height = Math.max(3, terminalRows - frameRows - 1);
		this.#setWidth(width);
		const rows = this.#window.rows(width, height);
		const pages = this.#pages();
		const keys = [
			this.#terminal.leaves ?? "Esc closes",
			"Tab page",
			...(this.#name === "Children" ? ["↑↓ child", "Enter opens it"] : ["↑↓ PgUp PgDn"]),
			...(this.#showsVisit() ? ["←→ visit"] : []),
			...(this.#name === "Diff" ? ["n p file", "r refreshes"] : []),
			"Home End",
			`1–${pages.length} pages`,
		];
		const { paint } = this.#terminal;
		const foot = this.#window.position();
		const [first = "", ...rest] = frame({ title: this.#title(width), foot, keys }, rows, width, paint);
		return [first, paintLine(fitLine(tabLine(this.#name, pages, width), width), paint), ...rest];
	}

	#setWidth(width: number): void {
		if (width === this.#width) return;
		this.#width = width;
		// The columns of this page depend on the width.
		if (this.#name === "Children") void this.#load();
	}

	handleKey(data: string, keybindings: Pick<KeybindingsManager, "matches">): void {
		const digit = /^[1-6]$/.test(data) ? this.#pages()[Number(data) - 1] : undefined;
		if (digit) this.#show(digit);
		else if (this.#name === "Children" && this.#handleChildKey(data, keybindings)) return;
		else if (data === "\t") this.#show(this.#neighbor(1));
		else if (data === "\u001b[Z") this.#show(this.#neighbor(-1));
		else if (data === "r") void this.#load();
		else if (keybindings.matches(data, "tui.editor.cursorLeft")) this.#choose(-1);
		else if (keybindings.matches(data, "tui.editor.cursorRight")) this.#choose(1);
		else if (moveByKey(this.#window, data, keybindings) || jumpByKey(this.#window, this.#marks, data))
			this.#terminal.requestRender();
	}

	/** Selects or opens a child; returns whether the key is for that. */
	#handleChildKey(data: string, keybindings: Pick<KeybindingsManager, "matches">): boolean {
		const children = childrenOf(this.#history);
		const by =
			data === "k" || keybindings.matches(data, "tui.select.up")
				? -1
				: data === "j" || keybindings.matches(data, "tui.select.down")
					? 1
					: 0;
		if (by !== 0) {
			this.#child = Math.max(0, Math.min(this.#child + by, children.length - 1));
			void this.#load();
			return true;
		}
		if (!keybindings.matches(data, "tui.select.confirm")) return false;
		const chosen = children[this.#child];
		if (chosen) this.#terminal.openChild?.(chosen.id);
		return true;
	}

	#pages(): readonly PageName[] {
		return childrenOf(this.#history).length > 0 ? everyPage : everyPage.slice(0, -1);
	}

	#neighbor(by: number): PageName {
		const pages = this.#pages();
		return pages[(pages.indexOf(this.#name) + by + pages.length) % pages.length] ?? "History";
	}

	#showsVisit(): boolean {
		return this.#name === "Transcript" || this.#name === "Diff";
	}

	#visit(): SeenVisit | undefined {
		const { visits } = this.#history;
		// Until the events are read, the run provides the current visit.
		if (!this.#isRead) return presentVisit(this.#source.run());
		const chosen = visits.find(({ number }) => number === this.#chosen);
		return chosen ?? firstInSight(visits);
	}

	/** Whether the diff is that of the whole run: of a finished run, until a visit is chosen. */
	#isWhole(): boolean {
		return this.#name === "Diff" && this.#chosen === undefined && this.#source.run().stage.kind === "over";
	}

	#choose(by: number): void {
		if (!this.#isRead) {
			// The visits are known once the events have been read; a failure shows on the page.
			void this.#reading?.then(
				() => this.#choose(by),
				() => {},
			);
			return;
		}
		const { visits } = this.#history;
		// The whole run comes after its last visit.
		const from = this.#isWhole() ? 1 : 0;
		const at = visits.findIndex(({ number }) => number === this.#visit()?.number) + from + by;
		const next = visits[Math.max(0, Math.min(at, visits.length - 1))];
		const isLast = next === visits.at(-1) && (by > 0 || this.#source.run().stage.kind !== "over");
		this.#chosen = isLast ? undefined : next?.number;
		this.#show(this.#showsVisit() ? this.#name : "Transcript");
	}

	#show(name: PageName): void {
		this.#name = name;
		const atEnd = name !== "Diff" && name !== "Knowledge" && name !== "Children";
		// The selected child is found by its row, so that each has one.
		this.#window = openWindow(this.#terminal.paint, atEnd, name === "Children" ? "cut" : "wrapped");
		this.#marks = [];
		this.#window.set([[dim("…")]]);
		this.#terminal.requestRender();
		void this.#load();
	}

	async #load(): Promise<void> {
		this.#loads += 1;
		const own = this.#loads;
		let page: Page;
		try {
			// The first page is shown at once; what needs the events follows.
			if (!this.#isRead) await this.#showUnread(own);
			this.#reading ??= this.#readEvents().finally(() => {
				this.#reading = undefined;
			});
			await this.#reading;
			if (own !== this.#loads) return;
			page = await this.#page(this.#events);
		} catch (error) {
			const reason = errorMessage(error);
			page = { lines: [[{ text: `Cannot be read: ${reason}`, tone: "error" }]], marks: [] };
		}
		if (own !== this.#loads) return;
		this.#marks = page.marks;
		this.#window.set(page.lines, page.dress);
		if (page.focus) showLines(this.#window, page.focus);
		this.#terminal.requestRender();
	}

	#page(events: readonly LedgerEvent[]): Promise<Page> {
		const part = { events, history: this.#history, child: this.#child, width: this.#width, isWhole: this.#isWhole() };
		return pageOf(this.#name, this.#source, this.#visit(), part);
	}

	/** Shows the page without the history; of the events, the last ones. */
	async #showUnread(own: number): Promise<void> {
		const tail: LedgerEvent[] = [];
		if (this.#name === "Events")
			for await (const event of this.#source.events(Math.max(0, this.#source.run().seq - maxEvents))) tail.push(event);
		const page = await this.#page(tail);
		if (own !== this.#loads) return;
		this.#marks = page.marks;
		this.#window.set(page.lines, page.dress);
		this.#terminal.requestRender();
	}

	/** Reads new events from the ledger, with pauses in which keys are handled. */
	async #readEvents(): Promise<void> {
		let read = 0;
		for await (const event of this.#source.events(this.#lastSeq)) {
			this.#lastSeq = event.seq;
			this.#history.take(event);
			this.#events.push(event);
			if (this.#events.length > maxEvents) this.#events.shift();
			read += 1;
			if (read % eventsAtOnce === 0) await new Promise((resolve) => setImmediate(resolve));
		}
		this.#isRead = true;
	}

	#title(width: number): Line {
		const run = this.#source.run();
		const visit = this.#showsVisit() && !this.#isWhole() ? this.#visit() : undefined;
		const { tokens, costUsd, activeMs } = runFigures(run, new Date().toISOString(), "run");
		const spent = `${tokens.text} · ${costUsd.text} · ${activeMs.text}`;
		const status = plain(runStatusText(run.status));
		if (width < narrow) return [status, ...(visit ? [plain(` · visit ${visit.number}`)] : []), dim(` · ${spent}`)];
		return [
			{ text: templateNameOf(run), tone: "accent" },
			dim(`${width < roomy ? "" : ` ${run.id.slice(0, 8)}`} · `),
			...(visit ? [plain(`visit ${visit.number} ${titleOf(visit.state)}`), dim(" · ")] : []),
			status,
			dim(` · ${spent}`),
		];
	}
}

/** The last visit that had a worker, as the run itself knows it. */
function presentVisit({ visit, state, attempt, history }: Run): SeenVisit {
	const left = history.findLast(({ metrics }) => metrics.attempts > 0);
	const isHere = attempt > 0 || left === undefined;
	const number = isHere ? visit : left.visit;
	const attempts = isHere ? attempt : left.metrics.attempts;
	const launches = Array.from({ length: attempts }, (_, index) => ({ visit: number, attempt: index + 1, launch: 1 }));
	return { number, state: isHere ? state : left.from, launches };
}

/** Scrolls as little as needed. A line of its page is a row, or nearly. */
function showLines(window: ReturnType<typeof openWindow>, { first, last }: FocusedLines): void {
	if (last >= window.topLine() + window.height) window.toLine(last - window.height + 1);
	if (first < window.topLine()) window.toLine(first);
}

function tabLine(name: PageName, pages: readonly PageName[], width: number): Line {
	const all: Line = pages.flatMap((page, index) => [
		...(index === 0 ? [] : [dim("  ")]),
		page === name ? ({ text: `[${index + 1} ${page}]`, tone: "accent" } as const) : dim(` ${index + 1} ${page} `),
	]);
	if (lineWidth(all) <= width) return all;
	return [{ text: `[${pages.indexOf(name) + 1} ${name}]`, tone: "accent" }, dim(` of ${pages.length}`)];
}

interface PagePart {
	readonly events: readonly LedgerEvent[];
	readonly history: RunHistory;
	readonly child: number;
	readonly width: number;
	readonly isWhole: boolean;
}

async function pageOf(
	name: PageName,
	source: ViewSource,
	visit: SeenVisit | undefined,
	{ events, history, child, width, isWhole }: PagePart,
): Promise<Page> {
	switch (name) {
		case "History":
			return unmarked(historyPage(source.run(), new Date().toISOString(), undoneOf(history.visits)));
		case "Knowledge":
			return unmarked(knowledgePage(source.run()));
		case "Events":
			return unmarked(events.map(eventLine));
		case "Children":
			return childrenPage(history, source.run(), child, { width, now: new Date().toISOString() });
		case "Transcript":
			return unmarked(transcriptLines(source, visit));
		case "Diff": {
			if (visit === undefined) return unmarked([[dim("No visit yet.")]]);
			const diff = await source.diff(isWhole ? "all" : visit.number);
			if (diff.kind === "none") return unmarked([[dim(diff.reason)]]);
			const page = patchPage(diff.text, diff);
			if (page.files.length === 0) return { lines: page.lines, marks: [] };
			const going = visit.number === source.run().visit && source.run().stage.kind !== "over";
			const head = changesHead(diff.summary, going ? "so far; r refreshes" : "");
			return {
				lines: [...head, ...page.lines],
				marks: page.files.map((index) => index + head.length),
				dress: (index) => head[index] ?? page.dress(index - head.length),
			};
		}
	}
}

function unmarked(lines: readonly Line[]): Page {
	return { lines, marks: [] };
}

function transcriptLines(source: ViewSource, visit: SeenVisit | undefined): Line[] {
	// An attempt that continues a conversation shares its file.
	const files = (visit ? conversationsOf(visit) : []).flatMap((key) => {
		const path = source.transcript(key);
		return path === undefined ? [] : [{ key, path }];
	});
	const outputs = visit && files.length === 0 ? source.outputs(visit.number) : [];
	if (outputs.length > 0) return outputs.flatMap(readCommandOutput);
	if (files.length < 2) return readTranscript(files[0]?.path);
	return files.flatMap(({ key, path }): Line[] => [
		[dim(`── from attempt ${key.slice(key.indexOf(".") + 1)} on ──`)],
		...readTranscript(path),
		[plain("")],
	]);
}
