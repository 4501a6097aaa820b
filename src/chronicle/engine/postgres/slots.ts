// The slots of a host: how many runs it works on at once. A run that waits for its children has none meanwhile.
// L1 a run that needs a slot again gets it before any queued job; L2 a slot is given back once.

export class Slots {
	readonly #onFree: () => void;
	#free: number;
	readonly #waiting: (() => void)[] = [];

	/** `onFree`: called when a run has given a slot back that no other run waits for. */
	constructor(number: number, onFree: () => void) {
		this.#free = number;
		this.#onFree = onFree;
	}

	get free(): number {
		return this.#free;
	}

	/** Takes a free slot. */
	take(): Slot {
		if (this.#free === 0) throw new Error("No slot is free.");
		this.#free -= 1;
		return new Slot(this, true);
	}

	/** The slot of a run that needs none yet. */
	takeLater(): Slot {
		return new Slot(this, false);
	}

	/** Resolves with a slot of its own once there is one; `undefined`: `signal` aborted before. */
	wait(signal: AbortSignal): Promise<true | undefined> {
		if (signal.aborted) return Promise.resolve(undefined);
		if (this.#free > 0) {
			this.#free -= 1;
			return Promise.resolve(true);
		}
		return new Promise((resolve) => {
			const stop = (): void => {
				this.#waiting.splice(this.#waiting.indexOf(get), 1);
				resolve(undefined);
			};
			const get = (): void => {
				signal.removeEventListener("abort", stop);
				resolve(true);
			};
			signal.addEventListener("abort", stop, { once: true });
			this.#waiting.push(get);
		});
	}

	/** `wasUsed`: by a run. */
	giveBack(wasUsed: boolean): void {
		const next = this.#waiting.shift();
		if (next) {
			next();
			return;
		}
		this.#free += 1;
		if (wasUsed) this.#onFree();
	}
}

/** The slot of one run. */
export class Slot {
	readonly #slots: Slots;
	#has: boolean;

	constructor(slots: Slots, has: boolean) {
		this.#slots = slots;
		this.#has = has;
	}

	/** Whether it is taken now. */
	get isTaken(): boolean {
		return this.#has;
	}

	release(): void {
		this.#giveBack(true);
	}

	/** Gives it back because there was no run for it. */
	putBack(): void {
		this.#giveBack(false);
	}

	#giveBack(wasUsed: boolean): void {
		if (!this.#has) return;
		this.#has = false;
		this.#slots.giveBack(wasUsed);
	}

	/** Takes one again if it was released; resolves early when `signal` aborts. */
	async acquire(signal: AbortSignal): Promise<void> {
		if (!this.#has) this.#has = (await this.#slots.wait(signal)) === true;
	}
}
