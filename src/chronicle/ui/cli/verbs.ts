// All verbs by name.
import { lookingVerbs } from "./look.ts";
import { removingVerbs } from "./remove.ts";
import { runTemplate } from "./run.ts";
import { steeringVerbs } from "./steer.ts";
import { runVerb, type Verb } from "./verb.ts";

const verbs: readonly Verb[] = [runTemplate, ...steeringVerbs, ...lookingVerbs, ...removingVerbs];

export async function performVerb(name: string, args: readonly string[], signal: AbortSignal): Promise<number> {
	const verb = verbs.find((known) => known.name === name);
	if (!verb) throw new Error(`There is no verb ${name}.`);
	return runVerb(verb, args, signal);
}
