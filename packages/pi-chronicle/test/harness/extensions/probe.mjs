// Lets a test look into a running pi: `/probe` notifies one line of JSON and, when CHRONICLE_PROBE names a file, writes it there.
// It also counts session_start and session_shutdown of its own instance, and what it sees at a glance of the session.
import { writeFileSync } from "node:fs";

export default function probe(pi) {
	const seen = { sessionStarts: [], sessionShutdowns: 0 };
	pi.on("session_start", (event) => {
		seen.sessionStarts.push(event.reason ?? "startup");
	});
	pi.on("session_shutdown", () => {
		seen.sessionShutdowns += 1;
	});
	pi.registerCommand("probe", {
		description: "Report the state of this pi as JSON (test fixture)",
		handler: async (_args, ctx) => {
			const report = {
				probe: true,
				cwd: ctx.cwd,
				mode: ctx.mode,
				hasUI: ctx.hasUI,
				trusted: ctx.isProjectTrusted(),
				sessionFile: ctx.sessionManager.getSessionFile() ?? null,
				sessionId: ctx.sessionManager.getSessionId(),
				model: ctx.model ? `${ctx.model.provider}/${ctx.model.id}` : null,
				thinking: pi.getThinkingLevel(),
				commands: pi.getCommands().map(({ name, source }) => ({ name, source })),
				activeTools: pi.getActiveTools(),
				allTools: pi.getAllTools().map(({ name }) => name),
				systemPrompt: ctx.getSystemPrompt(),
				branch: ctx.sessionManager.getBranch().map(({ type, customType }) => customType ?? type),
				resources: process.getActiveResourcesInfo(),
				...seen,
			};
			const text = JSON.stringify(report);
			if (process.env.CHRONICLE_PROBE) writeFileSync(process.env.CHRONICLE_PROBE, text);
			ctx.ui.notify(text, "info");
		},
	});
}
