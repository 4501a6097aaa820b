// Every screen in real pi at four sizes, in pi's dark and light theme. `screens/<story>/<page>.txt` has the four texts of each page.
import { it } from "vitest";
import { patient } from "../harness/patience.ts";
import { childrenStory } from "./children-story.ts";
import { planStory, reasonStory, runStory } from "./chronicle-stories.ts";
import { companionStory, sequenceStory, workflowStory } from "./companion-stories.ts";
import { play, sizes } from "./story.ts";

const stories = {
	run: runStory,
	children: childrenStory,
	reasons: reasonStory,
	plan: planStory,
	workflow: workflowStory,
	sequence: sequenceStory,
	companions: companionStory,
};

it.each(Object.entries(stories))(
	"every screen of the story %s matches its file, and is readable in both themes, at 40×20, 80×24, 120×40 and 200×50",
	(name, story) => play(name, story(), sizes),
	patient(300_000),
);
