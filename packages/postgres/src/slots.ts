// The slots of a host: how many runs it works on at once. A run that waits for its children has none meanwhile. A run that needs a slot again gets it
// before any queued job. A slot is given back once.

export class Slots {
	readonly #onFree: () => void;
	#free: number;
	readonly #waiting = new Set<() => void>();

	/** `onFree`: called when a run has given a slot back that no other run waits for. */
	constructor(number: number, onFree: () => void) {
		this.#free = number;
		this.#onFree = onFree;
	}

	get free(): number {
		return this.#free;
	}

	take(): Slot {
		if (this.#free === 0) throw new Error("No slot is free.");
		this.#free -= 1;
		return new Slot(this, true);
	}

	/** The slot of a run that needs none yet. */
	takeLater(): Slot {
		return new Slot(this, false);
	}

	/** Takes a slot once one is free; `false`: `signal` aborted before. */
	wait(signal: AbortSignal): Promise<boolean> {
		if (signal.aborted) return Promise.resolve(false);
		if (this.#free > 0) {
			this.#free -= 1;
			return Promise.resolve(true);
		}
		const { promise, resolve } = Promise.withResolvers<boolean>();
		const get = (): void => resolve(true);
		const stop = (): void => {
			this.#waiting.delete(get);
			resolve(false);
		};
		this.#waiting.add(get);
		signal.addEventListener("abort", stop, { once: true });
		return promise.finally(() => signal.removeEventListener("abort", stop));
	}

	/** `wasUsed`: by a run. */
	giveBack(wasUsed: boolean): void {
		const [next] = this.#waiting;
		if (next) {
			this.#waiting.delete(next);
			next();
			return;
		}
		this.#free += 1;
		if (wasUsed) this.#onFree();
	}
}

export class Slot {
	readonly #slots: Slots;
	#isTaken: boolean;

	constructor(slots: Slots, isTaken: boolean) {
		this.#slots = slots;
		this.#isTaken = isTaken;
	}

	get isTaken(): boolean {
		return this.#isTaken;
	}

	/** Gives it back. `wasUsed`: by a run. */
	release(wasUsed = true): void {
		if (this.#isTaken) this.#slots.giveBack(wasUsed);
		this.#isTaken = false;
	}

	/** Takes one again if it was released; resolves early when `signal` aborts. */
	async acquire(signal: AbortSignal): Promise<void> {
		this.#isTaken ||= await this.#slots.wait(signal);
	}
}
