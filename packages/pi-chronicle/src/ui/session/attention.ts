// Calls the user of a terminal: when a run begins to wait, the bell rings and the title says which; when it no longer waits, the title is pi's again.
// `chronicle.bell: false` in pi's settings turns both off.
import { basename } from "node:path";
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { isParked, type Run } from "@pi-chronicle/core/machine";
import { userSettings, withoutControls } from "../../pi/index.ts";
import { runStatusText } from "../phrases/index.ts";

export class Attention {
	/** The runs that wait. */
	readonly #waiting = new Map<string, Run>();

	waiting(id: string): Run | undefined {
		return this.#waiting.get(id);
	}

	/** Takes note of what the run does now. */
	look(ctx: ExtensionContext, run: Run): void {
		if (ctx.mode !== "tui") return;
		const waits = run.stage.kind !== "over" && (isParked(run) || run.status === "asks");
		if (waits === this.#waiting.has(run.id)) return;
		if (waits) this.#waiting.set(run.id, run);
		else this.#waiting.delete(run.id);
		if (userSettings().bell === false) return;
		if (waits) process.stdout.write("\x07");
		ctx.ui.setTitle(this.#title(ctx));
	}

	#title({ cwd, sessionManager }: ExtensionContext): string {
		const [waiting] = this.#waiting.values();
		const name = sessionManager.getSessionName();
		const called = waiting ? `❗ ${waiting.template.name}: ${runStatusText(waiting.status)}` : "π";
		const parts = [called, ...(name ? [name] : []), basename(cwd)];
		return withoutControls(parts.join(" - "));
	}
}
