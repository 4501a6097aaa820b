// A call of a subcommand of `engine`, and code that the subcommands share.
import { resolve } from "node:path";
import type { EngineSetting } from "../../local/index.ts";
import type { CommandCall } from "../commands/index.ts";
import type { Engine } from "../load-engine.ts";

type Opened = Awaited<ReturnType<Engine["openDatabase"]>>;

export interface EngineCall extends CommandCall {
	readonly engine: Engine;
	readonly database: Extract<Opened, { ok: true }>["value"];
	readonly setting: EngineSetting;
	/** Arguments after the name of the subcommand. */
	readonly rest: readonly string[];
}

/** The value of an option as a whole number above 0; `undefined` without the option; NaN for anything else. */
export function wholeNumber(written: string | undefined): number | undefined {
	return written === undefined ? undefined : /^[1-9]\d{0,8}$/.test(written) ? Number(written) : Number.NaN;
}

/** The parent folder of a host's working folders. */
export function dataFolder(agentFolder: string, named: string | undefined, host: string): string {
	return resolve(named ?? `${agentFolder}/chronicle/engine/${host}`);
}
