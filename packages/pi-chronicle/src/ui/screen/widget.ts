// The timeline above the editor while a run is live. Mounted once, and redrawn only when its text has changed, at most once a second; in RPC,
// a plain list of lines. Its clock stops while the run waits.

import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { isParked, type Run } from "@pi-chronicle/core/machine";
import type { VisitChanges } from "../../local/index.ts";
import type { Scope } from "../../pi/index.ts";
import { type Paint, paintLine, themed, unpainted } from "../../tui/index.ts";
import { drawTimeline } from "./timeline.ts";

const widgetKey = "chronicle";
const tickMs = 1000;
/** Columns for RPC clients, which may cut or wrap lines. */
const plainWidth = 120;

export interface TimelineWidget {
	show(run: Run): void;
	/** Updates the changes of a visit found by checking the files. */
	changed(changes: VisitChanges): void;
	/** Sets the key that reopens the run's pending question; `undefined` for none. */
	answerBy(key: string | undefined): void;
	close(): void;
}

/** Mounts the widget. `prefix` precedes every command. It is removed when the scope closes. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: one closure over the state of one widget, of short functions
export function mountTimeline(
	ctx: ExtensionContext,
	scope: Scope,
	{ run: first, prefix }: { readonly run: Run; readonly prefix: string },
): TimelineWidget {
	let run = first;
	let changes: VisitChanges | undefined;
	/** Notices of earlier visits are not shown again. */
	let earlierNotices = first.notices;
	let answerKey: string | undefined;
	let last = "";
	let stale = false;
	let redraw = () => {};
	let stopClock: (() => void) | undefined;
	let cooling: (() => void) | undefined;

	const text = (width: number, paint: Paint) => {
		const now = new Date().toISOString();
		const changed = changes?.visit === run.visit && run.stage.kind === "working" ? changes : undefined;
		const notice = run.notices.findLast((one) => !earlierNotices.includes(one));
		return drawTimeline(run, { width, now, prefix, changed, notice, answerKey }).map((line) => paintLine(line, paint));
	};
	const draw = () => {
		const lines = text(plainWidth, unpainted);
		if (lines.join("\n") === last) return;
		last = lines.join("\n");
		if (ctx.mode === "tui") redraw();
		else ctx.ui.setWidget(widgetKey, lines);
	};
	/** Draws now, or one second after the last drawing. */
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
			// The session is gone, and so is its screen.
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
			if (next.visit !== run.visit) earlierNotices = next.notices;
			run = next;
			clock();
			soon();
		},
		close: () => void release(),
	};
}
