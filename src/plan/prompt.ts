// Prompts for the model that drafts a definition.
import { readFileSync } from "node:fs";
import { join } from "node:path";

const skills = ["chronicle-authoring", "workflow-authoring"];

/** Asks for a draft for `task`. `packageRoot`: the root folder of this package, whose skills are quoted. */
export function draftPrompt(task: string, packageRoot: string): string {
	return `Draft a definition for pi-chronicle for the task at the end of this message. You can read the project, but not change anything.

1. Read enough of the project to know how it is built and tested, and which files the task concerns. Name real commands and real folders in the
   instructions that you write.
2. Choose the kind. A chronicle, if the work is long, has parts that should not see each other's context, or must continue without the user. A
   workflow, if the user will follow it in the session. If in doubt, a chronicle.
3. Answer with one sentence on why this shape fits, then every file as a fenced block whose first line names the path:

\`\`\`\`yaml file=.pi/chronicle/workflows/<name>.yaml
…
\`\`\`\`

The first file is the definition to start: .pi/chronicle/workflows/<name>.yaml, or .pi/workflows/<name>/workflow.yaml with its phases as
.pi/workflows/<name>/<phase>.md. Add .pi/agents/<name>.md only for a persona that needs separate instructions; a role in plain words needs no file.
Use four backticks for a file that contains a fence. Choose names that the project does not have yet. The task itself is given to the run when it starts: do
not repeat it in the files. Your draft is checked and rehearsed, and you get a list of its problems.

How to write them:

${skills.map((name) => skillText(packageRoot, name)).join("\n\n")}

# The task

${task}`;
}

/** Asks for the whole draft again. */
export function correctionPrompt(problems: readonly string[]): string {
	return `The draft is not valid yet:

${problems.map((problem) => `- ${problem.replaceAll("\n", "\n  ")}`).join("\n")}

Correct it, and answer with all files again, including the unchanged ones.`;
}

/** A skill of this package without its front matter. */
function skillText(packageRoot: string, name: string): string {
	const text = readFileSync(join(packageRoot, "skills", name, "SKILL.md"), "utf8");
	return text.replace(/^---\n[\s\S]*?\n---\n/, "").trim();
}
