// `/workflow init`: copies one of the package's definitions into the project.
import type { ExtensionCommandContext } from "@earendil-works/pi-coding-agent";
import { thereAre } from "@pi-chronicle/core/definition";
import { askForLine, rejectCommand, say } from "../../pi/index.ts";
import { copyLines, copyShipped, lacksTests, shippedNames, testsQuestion } from "../../tools/shipped/index.ts";
import { projectContext } from "./library.ts";

export async function initWorkflow(ctx: ExtensionCommandContext, name: string): Promise<void> {
	if (name === "") {
		rejectCommand(ctx, `Name a definition: /workflow init <name>. ${thereAre(shippedNames(), "")}`);
		return;
	}
	const { cwd, trusted } = projectContext(ctx);
	const asked = lacksTests(name, cwd) ? await askForLine(ctx, testsQuestion) : undefined;
	const copied = copyShipped(name, cwd, asked?.trim() || undefined);
	if ("message" in copied) rejectCommand(ctx, `${copied.message} ${copied.remedy}`);
	else say(ctx, copyLines(copied, cwd, trusted).join("\n"));
}
