// Protected paths that do not exist, or that are links, cannot be made read-only by a mount: what a command makes of them is undone when it has ended.
// Nothing is deleted: what was made is moved to a folder of the sandbox, and named; what a killed process could not undo is undone by the next one,
// or by the one that started it: the paths are on disk while a command runs.
import { mkdirSync, renameSync, rmdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { HostEnvironment } from "@pi-chronicle/footprint";
import { attempt, folderNames, jsonObject } from "../../disk/index.ts";

type LinkHost = Pick<HostEnvironment, "kind" | "readlink">;

export class AbsentPaths {
	/** Where a path leads; `null`: it does not exist. */
	readonly #before = new Map<string, string | null>();
	readonly #host: LinkHost;
	readonly #folder: string;
	#running = 0;

	/** `folder`: of the sandbox; absolute. */
	constructor(host: LinkHost, folder: string) {
		this.#host = host;
		this.#folder = folder;
	}

	/** A command begins that could make `paths`. */
	begin(paths: readonly string[]): void {
		if (this.#running === 0) this.recover();
		this.#running++;
		for (const path of paths) if (!this.#before.has(path)) this.#before.set(path, this.#host.readlink(path) ?? null);
		mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
		writeFileSync(this.#file, JSON.stringify(Object.fromEntries(this.#before)), { mode: 0o600 });
	}

	/** A command has ended. Returns the paths that it had made or replaced. */
	end(): readonly string[] {
		this.#running--;
		const undone = [...this.#before].filter(([path, link]) => this.#undo(path, link)).map(([path]) => path);
		if (this.#running > 0) return undone;
		this.#before.clear();
		rmSync(this.#file, { force: true });
		return undone;
	}

	/** Undoes what commands of a process that was killed have left. */
	recover(): void {
		const left = Object.entries(jsonObject(this.#file) ?? {});
		if (left.length === 0) return;
		for (const [path, link] of left) if (link === null || typeof link === "string") this.#undo(path, link);
		rmSync(this.#file, { force: true });
	}

	get #file(): string {
		return join(this.#folder, "absent.json");
	}

	/** Puts a path back to what it was; false if it is. */
	#undo(path: string, link: string | null): boolean {
		const kind = this.#host.kind(path);
		if (link !== null) {
			if (kind === "link" && this.#host.readlink(path) === link) return false;
		} else if (kind === undefined || this.#isPlaceholder(path, kind)) return false;
		if (kind !== undefined) this.#move(path);
		if (link !== null) attempt(() => symlinkSync(link, path));
		return true;
	}

	/** An empty folder that took the place of a path. It stays while another command runs behind it. */
	#isPlaceholder(path: string, kind: ReturnType<LinkHost["kind"]>): boolean {
		if (kind !== "directory" || folderNames(path).length > 0) return false;
		if (this.#running <= 0) attempt(() => rmdirSync(path));
		return true;
	}

	#move(path: string): void {
		const refused = join(this.#folder, "refused");
		mkdirSync(refused, { recursive: true, mode: 0o700 });
		for (let n = 1; ; n++) {
			const target = join(refused, `${n}-${basename(path)}`);
			if (this.#host.kind(target) !== undefined) continue;
			attempt(() => renameSync(path, target));
			return;
		}
	}
}
