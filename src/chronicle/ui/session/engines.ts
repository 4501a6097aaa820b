// The engines that a session's commands use. One is connected to when a command names it, and stays so until the session ends: a session that
// names none loads nothing of them.
import type { Scope } from "../../../pi/index.ts";
import type { Result } from "../../core/index.ts";
import { type EngineSetting, type Project, withoutSecrets } from "../../engine/index.ts";

type Opened = Awaited<ReturnType<typeof import("../../engine/postgres/index.ts")["openDatabase"]>>;
type Database = Extract<Opened, { ok: true }>["value"];

export class SessionEngines {
	readonly #scope: Scope;
	/** By address, without its secrets: a command that the session prints names it so. */
	readonly #databases = new Map<string, Database>();
	#last: Project | undefined;

	constructor(scope: Scope) {
		this.#scope = scope;
	}

	/** The project that a command used last on an engine. */
	get last(): Project | undefined {
		return this.#last;
	}

	/** The project on an engine. Everything that is not about runs stays that of `local`. `report` shows what keeps a command waiting. */
	async open(local: Project, setting: EngineSetting, report: (text: string) => void): Promise<Result<Project>> {
		const { openDatabase, projectIn } = await import("../../engine/postgres/index.ts");
		const key = withoutSecrets(setting.url);
		let database = this.#databases.get(key);
		if (!database) {
			const opened = await openDatabase(setting.url);
			if (!opened.ok) return opened;
			database = opened.value;
			this.#databases.set(key, database);
			this.#scope.own(() => opened.value.close());
		}
		const found = await projectIn(database, local, { ...setting, report });
		if (found.ok) this.#last = found.value;
		return found;
	}
}
