// The run view: a screen with the history, a visit's transcript (live while its worker runs), its diff, what the run knows, and its events.
// Nothing in it blocks the session; it reads and draws. V1 drawn again at most once a second while nothing is pressed; V2 every line fits;
// V3 a page that is slow to come never replaces one that was asked for later.
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import {
	closes,
	dim,
	fitLine,
	frame,
	frameRows,
	jumpByKey,
	type Line,
	lineWidth,
	moveByKey,
	openWindow,
	paintLine,
	plain,
	themed,
	wholeScreen,
} from "../../../tui/index.ts";
import { conversationsOf, type LedgerEvent, liveTotals, RunHistory, type Visit } from "../../core/index.ts";
import { shortCost, shortCount, shortTime, templateNameOf, titleOf } from "../timeline/index.ts";
import { changesHead } from "./changes-head.ts";
import { eventLine } from "./event-line.ts";
import { patchPage } from "./patch.ts";
import { readTranscript } from "./transcript.ts";
import { historyPage, knowledgePage } from "./view-pages.ts";
import type { ViewSource } from "./view-source.ts";

const pages = ["History", "Transcript", "Diff", "Knowledge", "Events"] as const;
type PageName = (typeof pages)[number];

interface Page {
	readonly lines: readonly Line[];
	/** Lines that n and p go to. */
	readonly marks: readonly number[];
	readonly dress?: (index: number) => Line;
}

/** Events kept for the page of events; the rest is in the file. */
const mostEvents = 2000;
const redrawMs = 1000;
/** Below these widths the id, and then the name are left out. */
const roomy = 72;
const narrow = 48;

/** Opens the view and resolves when the person closes it. Only for the terminal (`ctx.mode === "tui"`). */
export async function openRunView(ctx: ExtensionContext, source: ViewSource): Promise<void> {
	await ctx.ui.custom<void>((tui, theme, keybindings, done) => {
		const paint = themed({ theme });
		let name: PageName = "History";
		let window = openWindow(paint, true);
		let marks: readonly number[] = [];
		let chosen: number | undefined;
		let asked = 0;
		const events: LedgerEvent[] = [];
		const history = new RunHistory();
		let seen = 0;
		let reading: Promise<void> | undefined;

		/** Reads what the ledger has beyond what was seen. */
		const readEvents = async () => {
			for await (const event of source.events(seen)) {
				seen = event.seq;
				history.take(event);
				events.push(event);
				if (events.length > mostEvents) events.shift();
			}
		};
		const visit = (): Visit | undefined => {
			const list = history.visits;
			// A state without a worker has nothing to show.
			return (
				list.find((one) => one.number === chosen) ?? list.findLast(({ launches }) => launches.length > 0) ?? list.at(-1)
			);
		};
		const load = async () => {
			asked += 1;
			const mine = asked;
			let page: Page;
			try {
				reading ??= readEvents().finally(() => {
					reading = undefined;
				});
				await reading;
				if (mine !== asked) return;
				page = await pageOf(name, source, visit(), events);
			} catch (error) {
				const reason = error instanceof Error ? error.message : String(error);
				page = { lines: [[{ text: `Cannot be read: ${reason}`, tone: "error" }]], marks: [] };
			}
			if (mine !== asked) return;
			marks = page.marks;
			window.set(page.lines, page.dress);
			tui.requestRender();
		};
		const show = (next: PageName) => {
			name = next;
			window = openWindow(paint, next !== "Diff" && next !== "Knowledge", next === "Events" ? "cut" : "wrapped");
			marks = [];
			window.set([[dim("…")]]);
			tui.requestRender();
			void load();
		};
		const choose = (by: number) => {
			const list = history.visits;
			const at = list.findIndex((one) => one.number === visit()?.number) + by;
			const next = list[Math.max(0, Math.min(at, list.length - 1))];
			// On the newest one the view goes along when the run moves on.
			chosen = next === list.at(-1) ? undefined : next?.number;
			show(name === "History" || name === "Knowledge" || name === "Events" ? "Transcript" : name);
		};

		// Only what changes the picture draws it again: a watcher marks it stale, one timer at most looks at the mark.
		let timer: NodeJS.Timeout | undefined;
		const unwatch = source.watch(() => {
			timer ??= setTimeout(() => {
				timer = undefined;
				// A diff that is being read stays as it is; r measures it anew.
				if (name !== "Diff") void load();
				else tui.requestRender();
			}, redrawMs);
		});
		void load();

		const title = (width: number): Line => {
			const run = source.run();
			const at = visit();
			const ofVisit = at !== undefined && (name === "Transcript" || name === "Diff");
			const live = liveTotals(run, new Date().toISOString());
			const spent = `${shortCount(live.tokens)} tokens · ${shortCost(live.costUsd)} · ${shortTime(live.activeMs)}`;
			const status = plain(run.status.replaceAll("_", " "));
			if (width < narrow) return [status, ...(ofVisit ? [plain(` · visit ${at.number}`)] : []), dim(` · ${spent}`)];
			return [
				{ text: templateNameOf(run), tone: "accent" },
				dim(`${width < roomy ? "" : ` ${run.id.slice(0, 8)}`} · `),
				...(ofVisit ? [plain(`visit ${at.number} ${titleOf(at.state)}`), dim(" · ")] : []),
				status,
				dim(` · ${spent}`),
			];
		};
		const tabs = (width: number): Line => {
			const at = pages.indexOf(name);
			const all: Line = pages.flatMap((page, index) => [
				...(index === 0 ? [] : [dim("  ")]),
				page === name ? ({ text: `[${index + 1} ${page}]`, tone: "accent" } as const) : dim(` ${index + 1} ${page} `),
			]);
			if (lineWidth(all) <= width) return all;
			return [{ text: `[${at + 1} ${name}]`, tone: "accent" }, dim(` of ${pages.length}`)];
		};

		return {
			capturesViewportInput: true,
			render(width) {
				const height = Math.max(3, tui.terminal.rows - frameRows - 1);
				const rows = window.rows(width, height);
				const keys = [
					"Esc closes",
					"Tab page",
					"↑↓ PgUp PgDn",
					...(name === "Transcript" || name === "Diff" ? ["←→ visit"] : []),
					...(name === "Diff" ? ["n p file", "r anew"] : []),
					"Home End",
					"1–5 pages",
				];
				const foot = window.position();
				const [first = "", ...rest] = frame({ title: title(width), foot, keys }, rows, width, paint);
				return [first, paintLine(fitLine(tabs(width), width), paint), ...rest];
			},
			handleInput(data) {
				const digit = /^[1-5]$/.test(data) ? pages[Number(data) - 1] : undefined;
				const next = (by: number) => pages[(pages.indexOf(name) + by + pages.length) % pages.length] ?? "History";
				if (closes(data, keybindings)) return done();
				if (digit) return show(digit);
				if (data === "\t") return show(next(1));
				if (data === "\u001b[Z") return show(next(-1));
				if (data === "r") return void load();
				if (keybindings.matches(data, "tui.editor.cursorLeft")) return choose(-1);
				if (keybindings.matches(data, "tui.editor.cursorRight")) return choose(1);
				if (moveByKey(window, data, keybindings) || jumpByKey(window, marks, data)) tui.requestRender();
			},
			invalidate() {},
			dispose() {
				asked += 1;
				unwatch();
				clearTimeout(timer);
			},
		};
	}, wholeScreen);
}

async function pageOf(
	name: PageName,
	source: ViewSource,
	visit: Visit | undefined,
	events: readonly LedgerEvent[],
): Promise<Page> {
	switch (name) {
		case "History":
			return unmarked(historyPage(source.run(), new Date().toISOString()));
		case "Knowledge":
			return unmarked(knowledgePage(source.run()));
		case "Events":
			return unmarked(events.map(eventLine));
		case "Transcript":
			return unmarked(transcriptLines(source, visit));
		case "Diff": {
			if (visit === undefined) return unmarked([[dim("No visit yet.")]]);
			const diff = await source.diff(visit.number);
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

/** All conversations of a visit, one behind the other. */
function transcriptLines(source: ViewSource, visit: Visit | undefined): Line[] {
	// An attempt that goes on in the conversation of the one before it has no file of its own.
	const files = (visit ? conversationsOf(visit) : []).flatMap((key) => {
		const path = source.transcript(key);
		return path === undefined ? [] : [{ key, path }];
	});
	if (files.length < 2) return readTranscript(files[0]?.path);
	return files.flatMap(({ key, path }): Line[] => [
		[dim(`── from attempt ${key.slice(key.indexOf(".") + 1)} on ──`)],
		...readTranscript(path),
		[plain("")],
	]);
}
