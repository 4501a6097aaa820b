// What `/chronicle` lists when it is typed alone: the runs, the templates, the commands.
import { type ChoiceList, completedChoices } from "../../pi/index.ts";

/** Commands that need no more words, and change nothing that cannot be changed back. */
const whole = new Set(["list", "status", "show", "diff", "view", "report", "check", "tool", "help"]);

/** `complete`: the completions of the command. */
export async function chronicleChoices(complete: Parameters<typeof completedChoices>[0]): Promise<ChoiceList> {
	const [runs, others] = await Promise.all([
		completedChoices(complete, "view ", () => true),
		completedChoices(complete, "", (words) => whole.has(words)),
	]);
	return { title: "Chronicles", text: "", choices: [...runs, ...others] };
}
