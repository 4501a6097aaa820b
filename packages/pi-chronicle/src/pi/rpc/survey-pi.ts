// Lists the commands (with the files that register them) and the models of a pi that starts with the user's configuration.
import { type AskedPi, askPi } from "./ask-pi.ts";
import { type ListedModel, markDefault, modelsIn } from "./models.ts";

export interface SurveyedCommand {
	/** As pi offers it: of several packages with one name, `name:1`, `name:2`. */
	readonly name: string;
	/** The file of the extension. */
	readonly file: string;
}

export type PiSurvey =
	| {
			readonly kind: "answered";
			/** Commands of extensions. */
			readonly commands: readonly SurveyedCommand[];
			/** Models with credentials. */
			readonly models: readonly ListedModel[];
			/** The model that a session starts with, as `provider/id`; `undefined` if there is none. */
			readonly model: string | undefined;
			/** What pi wrote to stderr. */
			readonly stderr: string;
	  }
	/** It did not start, or did not answer in time. */
	| { readonly kind: "silent"; readonly stderr: string };

/** Starts a pi with everything that the user has installed, and asks it. */
export async function surveyPi(asked: Omit<AskedPi, "args">): Promise<PiSurvey> {
	return askPi({ ...asked, args: [] }, async (link, child): Promise<PiSurvey> => {
		const commands = await link.send({ type: "get_commands" });
		if (!commands.ok) {
			// The rest of stderr arrives when it exits.
			await child.exited;
			return { kind: "silent", stderr: child.stderr() };
		}
		const listed = modelsIn(await link.send({ type: "get_available_models" }));
		const state = await link.send({ type: "get_state" });
		const models = markDefault(listed, state.ok ? (state.data as { model?: unknown } | undefined)?.model : undefined);
		const chosen = models.find(({ isDefault }) => isDefault);
		return {
			kind: "answered",
			commands: commandsIn(commands.data),
			models,
			model: chosen && `${chosen.provider}/${chosen.id}`,
			stderr: child.stderr(),
		};
	});
}

function commandsIn(data: unknown): readonly SurveyedCommand[] {
	const listed = (data as { commands?: unknown } | undefined)?.commands;
	return (Array.isArray(listed) ? listed : []).flatMap(({ name, source, sourceInfo }) =>
		typeof name === "string" && source === "extension" && typeof sourceInfo?.path === "string"
			? [{ name, file: sourceInfo.path }]
			: [],
	);
}
