// The timeline above the editor while a run is live. Mounted once, and drawn again only when its text has changed, at most once a second; in RPC a
// plain list of lines. Its clock stops while the run waits.
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { Scope } from "../../../pi/index.ts";
import { type Paint, paintLine, themed, unpainted } from "../../../tui/index.ts";
import { isParked, type Run } from "../../core/index.ts";
import { type ChangedFiles, drawTimeline } from "./timeline.ts";

const widgetKey = "chronicle";
const tickMs = 1000;
/** Columns that RPC clients get; they may cut or wrap. */
const plainWidth = 120;
const prefix = "/chronicle ";

export interface TimelineWidget {
	/** The run has changed. */
	show(run: Run): void;
	/** A look at the files has shown what a visit has changed so far. */
	changed(changes: ChangedFiles & { readonly visit: number }): void;
	/** The key that brings back the question which the run waits with; `undefined` where there is none. */
	answerBy(key: string | undefined): void;
	/** Takes the widget away. */
	close(): void;
}

/** Mounts the widget. It is taken away when the scope closes. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: one closure over the state of one widget, of short functions
export function mountTimeline(ctx: ExtensionContext, scope: Scope, first: Run): TimelineWidget {
	let run = first;
	let changes: (ChangedFiles & { readonly visit: number }) | undefined;
	/** Notices of earlier visits are not shown again. */
	let told = first.notices;
	let answerKey: string | undefined;
	let last = "";
	let stale = false;
	let redraw = () => {};
	let stopClock: (() => void) | undefined;
	let cooling: (() => void) | undefined;

	const text = (width: number, paint: Paint) => {
		const now = new Date().toISOString();
		const changed = changes?.visit === run.visit && run.stage.kind === "working" ? changes : undefined;
		const notice = run.notices.findLast((one) => !told.includes(one));
		return drawTimeline(run, { width, now, prefix, changed, notice, answerKey }).map((line) => paintLine(line, paint));
	};
	const draw = () => {
		const lines = text(plainWidth, unpainted);
		if (lines.join("\n") === last) return;
		last = lines.join("\n");
		if (ctx.mode === "tui") redraw();
		else ctx.ui.setWidget(widgetKey, lines);
	};
	/** Draws now, or once the second since the last drawing is over. */
	const soon = () => {
		if (cooling) {
			stale = true;
			return;
		}
		draw();
		cooling = scope.after(tickMs, () => {
			cooling = undefined;
			if (!stale) return;
			stale = false;
			soon();
		});
	};
	const clock = () => {
		if (!isParked(run)) {
			stopClock ??= scope.every(tickMs, soon);
			return;
		}
		stopClock?.();
		stopClock = undefined;
	};
	const unmount = () => {
		stopClock?.();
		cooling?.();
		try {
			ctx.ui.setWidget(widgetKey, undefined);
		} catch {
			// Stale: the session is gone, and its screen with it.
		}
	};

	if (ctx.mode === "tui") {
		ctx.ui.setWidget(widgetKey, (tui, theme) => {
			redraw = () => tui.requestRender();
			const paint = themed({ theme });
			return { invalidate() {}, render: (width) => text(width, paint) };
		});
	}
	soon();
	clock();
	const release = scope.own(unmount);
	return {
		changed(next) {
			changes = next;
			soon();
		},
		answerBy(key) {
			answerKey = key;
			soon();
		},
		show(next) {
			if (next.visit !== run.visit) told = next.notices;
			run = next;
			clock();
			soon();
		},
		close: () => void release(),
	};
}
