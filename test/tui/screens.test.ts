// The screens of one run in real pi at 80×24, for every push; screens.deep.test.ts has every story, size and theme.
import { it } from "vitest";
import { patient } from "../harness/patience.ts";
import { runStory } from "./chronicle-stories.ts";
import { play } from "./story.ts";

it("every screen of a run in pi is whole and readable", () => play(runStory(), "dark", [[80, 24]]), patient(120_000));
