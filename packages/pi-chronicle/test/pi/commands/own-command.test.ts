// Commands and background work that fail after their session has ended fail silently; any other failure is shown. Completions that fail offer nothing.
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { checkout, openBench } from "../../harness/index.ts";
import { patient } from "../../harness/patience.ts";

const extension = `import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inBackground } from ${JSON.stringify(join(checkout, "packages/pi-chronicle/src/pi/commands/in-background.ts"))};
import { registerOwnCommand } from ${JSON.stringify(join(checkout, "packages/pi-chronicle/src/pi/commands/own-commands.ts"))};

export default function (pi) {
	registerOwnCommand(pi, "late", {
		handler: async (_args, ctx) => {
			const { cwd } = ctx;
			while (!existsSync(join(cwd, "go"))) await new Promise((resolve) => setTimeout(resolve, 20));
			try {
				ctx.ui.notify("too late");
			} finally {
				writeFileSync(join(cwd, "tried"), "");
			}
		},
	});
	registerOwnCommand(pi, "background", {
		handler: async (args, ctx) => {
			const { cwd } = ctx;
			inBackground(ctx, async () => {
				if (args === "broken") throw new Error("It broke unseen.");
				while (!existsSync(join(cwd, "go"))) await new Promise((resolve) => setTimeout(resolve, 20));
				try {
					ctx.ui.notify("too late");
				} finally {
					writeFileSync(join(cwd, "tried"), "");
				}
			});
		},
	});
	registerOwnCommand(pi, "offers", {
		getArgumentCompletions: async (prefix) => {
			writeFileSync(join(process.cwd(), "asked"), prefix);
			throw new Error("Nothing can be offered.");
		},
		handler: async (_args, ctx) => ctx.ui.notify("It lives."),
	});
	registerOwnCommand(pi, "broken", {
		handler: async () => {
			throw new Error("It is broken.");
		},
	});
}
`;

it("a command that outlives its session is dropped, and an error in a living session is shown", {
	timeout: patient(60_000),
}, async () => {
	const { project, rpc } = await openBench({ files: { "late.ts": extension }, script: [] });
	const pi = await rpc({ extensions: [project.path("late.ts")] });
	const errors = () => pi.events.filter(({ type }) => type === "extension_error").map(({ error }) => error);
	void pi.prompt("/late").catch(() => {});
	await pi.send({ type: "new_session" });
	writeFileSync(project.path("go"), "");
	await expect.poll(() => project.exists("tried"), { timeout: patient(10_000) }).toBe(true);
	// What nobody awaits would end pi.
	for (const name of ["go", "tried"]) rmSync(project.path(name));
	await pi.prompt("/background broken");
	await pi.screen.notified("It broke unseen.");
	await pi.prompt("/background");
	await pi.send({ type: "new_session" });
	writeFileSync(project.path("go"), "");
	await expect.poll(() => project.exists("tried"), { timeout: patient(10_000) }).toBe(true);
	await pi.prompt("/broken");
	await expect.poll(errors, { timeout: patient(10_000) }).toEqual(["It is broken."]);
});

it("completions that fail offer nothing, and pi accepts the next line", { timeout: patient(60_000) }, async () => {
	const { project, tui } = await openBench({ files: { "late.ts": extension }, script: [] });
	const pi = await tui({ extensions: [project.path("late.ts")] });
	pi.type("/offers x");
	await expect.poll(() => project.exists("asked"), { timeout: patient(10_000) }).toBe(true);
	await pi.press("ctrl+u");
	await pi.submit("/offers");
	await pi.waitForScreen("It lives.");
});
