// Every screen in real pi at four sizes, in pi's dark and light theme.
import { describe, it } from "vitest";
import { patient } from "../harness/patience.ts";
import { planStory, reasonStory, runStory } from "./chronicle-stories.ts";
import { companionStory, sequenceStory, workflowStory } from "./companion-stories.ts";
import { play, sizes } from "./story.ts";

const stories = {
	run: runStory,
	reasons: reasonStory,
	plan: planStory,
	workflow: workflowStory,
	sequence: sequenceStory,
	companions: companionStory,
};

describe.each(["dark", "light"] as const)("in the %s theme at 40×20, 80×24, 120×40 and 200×50", (scheme) => {
	it.each(Object.entries(stories))(
		"every screen of the story %s is whole and readable",
		(_name, story) => play(story(), scheme, sizes),
		patient(300_000),
	);
});
