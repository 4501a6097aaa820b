// What `/notebook` lists when it is typed alone and has no pages to browse.
import type { ChoiceList } from "../../pi/index.ts";

const verbs = [
	["on", "the model can write and read pages", true],
	["off", "the model has no notebook; its pages are kept", true],
	["topic", "names what the pages are about", false],
	["search", "finds words in the pages", false],
	["rename", "renames a page", false],
	["delete", "deletes a page", false],
] as const;

/** `on`: whether the notebook is on. */
export function notebookChoices(on: boolean): ChoiceList {
	const choices = verbs.map(([words, about, whole]) => ({ words, name: words, about, whole }));
	return { title: "Notebook", text: `The notebook is ${on ? "on" : "off"} and has no pages yet.`, choices };
}
