// The user's decision about a plan: start it, edit a file of it, save it, or drop it. Without a decision it is kept.
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { answerKeys, chooseOption } from "../../pi/index.ts";
import type { DraftFile } from "./draft.ts";
import type { Plan } from "./plan.ts";

export type PlanDecision =
	| { readonly kind: "later" | "start" | "save" | "drop" | "nobody" }
	/** The draft with an edited file. */
	| { readonly kind: "edited"; readonly draft: Plan["draft"] };

const answers = {
	later: "Later: /plan shows it again",
	start: "Start it now",
	edit: "Edit one of its files first",
	save: "Save its files, start nothing",
	drop: "Drop it",
} as const;

/** Shows a plan and asks. `uncalled`: the user may be typing. */
export async function decidePlan(ctx: ExtensionContext, plan: Plan, uncalled: boolean): Promise<PlanDecision> {
	const { later, start, edit, save, drop } = answers;
	const chosen = await chooseOption(ctx, {
		title: "Start this plan?",
		message: plan.lines.join("\n"),
		options: [later, start, edit, save, drop],
		keys: {
			[later]: answerKeys.later,
			[start]: answerKeys.start,
			[edit]: answerKeys.edit,
			[save]: answerKeys.saveFiles,
			[drop]: answerKeys.drop,
		},
		leave: "Esc later",
		uncalled,
	});
	switch (chosen) {
		case start:
			return { kind: "start" };
		case save:
			return { kind: "save" };
		case drop:
			return { kind: "drop" };
		case edit:
			return editFile(ctx, plan);
		case "nobody":
			return { kind: "nobody" };
		default:
			return { kind: "later" };
	}
}

async function editFile(ctx: ExtensionContext, plan: Plan): Promise<PlanDecision> {
	const { files } = plan.draft;
	const path = await chooseFile(ctx, files);
	const file = files.find((each) => each.path === path);
	if (!file) return decidePlan(ctx, plan, false);
	const text = await ctx.ui.editor(file.path, file.text);
	if (text === undefined || text === file.text) return decidePlan(ctx, plan, false);
	const replace = (each: DraftFile): DraftFile => (each === file ? { ...each, text } : each);
	const [first, ...rest] = files;
	return { kind: "edited", draft: { ...plan.draft, files: [replace(first), ...rest.map(replace)] } };
}

async function chooseFile(ctx: ExtensionContext, files: readonly DraftFile[]): Promise<string | undefined> {
	if (files.length === 1) return files[0]?.path;
	const options = files.map(({ path }) => path);
	return chooseOption(ctx, { title: "Edit which file?", message: "", options, leave: "Esc back" });
}
