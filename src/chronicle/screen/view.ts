// The run view: an overlay with the history, a visit's transcript (live while its worker runs), its diff, what the run knows, and its events.
// Nothing in it blocks the session; it reads and draws. V1 drawn again at most once a second while nothing is pressed; V2 every line fits.
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { LedgerEvent } from "../machine/index.ts";
import { titleOf } from "../timeline/index.ts";
import { eventLine } from "./event-line.ts";
import { dim, fitLine, type Line, type Paint, paintLine, plain } from "./line.ts";
import { patchLines } from "./patch.ts";
import { readTranscript } from "./transcript.ts";
import { historyPage, knowledgePage } from "./view-pages.ts";
import type { ViewSource } from "./view-source.ts";
import { listVisits, openVisits, takeVisitEvent, type Visit } from "./visits.ts";

const pages = ["History", "Transcript", "Diff", "Knowledge", "Events"] as const;
type Page = (typeof pages)[number];

/** Events kept for the page of events; the rest is in the file. */
const mostEvents = 2000;
const redrawMs = 1000;
/** Rows beside the text: title, pages, blank, keys. */
const frameRows = 4;

/** Opens the view and resolves when the person closes it. Only for the terminal (`ctx.mode === "tui"`). */
export async function openRunView(ctx: ExtensionContext, source: ViewSource, paint: Paint): Promise<void> {
	await ctx.ui.custom<void>(
		(tui, _theme, keybindings, done) => {
			let page: Page = "History";
			let top = 0;
			let follow = true;
			let chosen: number | undefined;
			let lines: Line[] = [];
			let height = 20;
			const events: LedgerEvent[] = [];
			const visits = openVisits(source.run());
			let seen = 0;
			let reading = false;

			/** Reads what the ledger has beyond what was seen. */
			const readEvents = async () => {
				if (reading) return;
				reading = true;
				try {
					for await (const event of source.events(seen)) {
						seen = event.seq;
						takeVisitEvent(visits, event);
						events.push(event);
						if (events.length > mostEvents) events.shift();
					}
				} finally {
					reading = false;
				}
			};
			const visit = (): Visit | undefined => {
				const list = listVisits(visits);
				return list.find((one) => one.visit === chosen) ?? list.at(-1);
			};
			const load = async () => {
				await readEvents();
				const asked = page;
				const next = await linesOf(page, source, visit(), events);
				if (page !== asked) return;
				lines = next;
				tui.requestRender();
			};
			const show = (next: Page) => {
				page = next;
				follow = next !== "Diff" && next !== "Knowledge";
				top = 0;
				lines = [[dim("…")]];
				void load();
			};
			const choose = (by: number) => {
				const list = listVisits(visits);
				const at = list.findIndex((one) => one.visit === visit()?.visit) + by;
				chosen = list[Math.max(0, Math.min(at, list.length - 1))]?.visit;
				show(page === "History" ? "Transcript" : page);
			};
			const scroll = (by: number) => {
				top = Math.max(0, Math.min(top + by, lines.length - height));
				follow = top >= lines.length - height;
				tui.requestRender();
			};

			// Only what changes the picture draws it again: a watcher marks it stale, one timer at most looks at the mark.
			let timer: NodeJS.Timeout | undefined;
			const unwatch = source.watch(() => {
				timer ??= setTimeout(() => {
					timer = undefined;
					if (page !== "Diff") void load();
					else tui.requestRender();
				}, redrawMs);
			});
			void load();

			return {
				capturesViewportInput: true,
				render(width) {
					height = Math.max(5, Math.floor(tui.terminal.rows * 0.8) - frameRows);
					if (follow) top = Math.max(0, lines.length - height);
					const shown = lines.slice(top, top + height);
					const run = source.run();
					const at = visit();
					const where =
						at === undefined || page === "History" || page === "Knowledge"
							? ""
							: ` · visit ${at.visit} ${titleOf(at.state)}`;
					const title: Line = [
						{ text: run.template.name, tone: "accent" },
						dim(` ${run.id.slice(0, 8)} · ${run.status.replaceAll("_", " ")}${where}`),
					];
					const tabs: Line = pages.flatMap((name, index) => [
						...(index === 0 ? [] : [dim("  ")]),
						dim(`${index + 1} `),
						name === page ? ({ text: name, tone: "accent" } as const) : plain(name),
					]);
					const position = lines.length > height ? ` · ${top + 1}–${top + shown.length} of ${lines.length}` : "";
					const keys: Line = [
						dim(`1–5 Tab pages · ←→ visit · ↑↓ PgUp PgDn scroll · End follow · Esc closes${position}`),
					];
					const blank: Line[] = Array.from({ length: height - shown.length }, () => [plain("")]);
					return [title, tabs, ...shown, ...blank, [plain("")], keys].map((line) =>
						paintLine(fitLine(line, width), paint),
					);
				},
				handleInput(data) {
					const digit = pages[Number(data) - 1];
					if (/^[1-5]$/.test(data) && digit) show(digit);
					else if (data === "\t") show(pages[(pages.indexOf(page) + 1) % pages.length] ?? "History");
					else if (keybindings.matches(data, "tui.select.up")) scroll(-1);
					else if (keybindings.matches(data, "tui.select.down")) scroll(1);
					else if (keybindings.matches(data, "tui.select.pageUp")) scroll(-height);
					else if (keybindings.matches(data, "tui.select.pageDown")) scroll(height);
					else if (keybindings.matches(data, "tui.editor.cursorLeft")) choose(-1);
					else if (keybindings.matches(data, "tui.editor.cursorRight")) choose(1);
					else if (keybindings.matches(data, "tui.editor.cursorLineEnd")) scroll(lines.length);
					else if (keybindings.matches(data, "tui.select.cancel") || data === "q") done();
				},
				invalidate() {},
				dispose() {
					unwatch();
					clearTimeout(timer);
				},
			};
		},
		{ overlay: true, overlayOptions: { width: "95%", maxHeight: "90%", anchor: "center" } },
	);
}

async function linesOf(
	page: Page,
	source: ViewSource,
	visit: Visit | undefined,
	events: readonly LedgerEvent[],
): Promise<Line[]> {
	switch (page) {
		case "History":
			return historyPage(source.run());
		case "Knowledge":
			return knowledgePage(source.run());
		case "Events":
			return events.map(eventLine);
		case "Transcript": {
			const key = visit?.conversations.at(-1);
			return readTranscript(key === undefined ? undefined : source.transcript(key));
		}
		case "Diff": {
			if (visit?.before === undefined) return [[dim("The files of this visit were not measured.")]];
			if (visit.after === undefined) return [[dim("The visit is still going on; its diff is measured when it ends.")]];
			return patchLines(await source.patch(visit.before, visit.after));
		}
	}
}
