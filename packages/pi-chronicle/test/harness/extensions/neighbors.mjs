// Imitates the tools, commands and screens of well-known packages of other people, by their argument shapes. NEIGHBORS chooses (comma-separated,
// default `tools`): `tools` agents, a gateway, a patch tool and a program runner; `commands` a /handoff and a /workflow; `permission` asks
// before every call that is not declared harmless; `footer` a footer that shows no status; `clears` clears other packages' status keys.
import { appendFileSync } from "node:fs";
import { join } from "node:path";

const anything = { type: "object", properties: {}, additionalProperties: true };

export default function neighbors(pi) {
	const wanted = new Set((process.env.NEIGHBORS ?? "tools").split(","));
	const log = (ctx, name, what) => appendFileSync(join(ctx.cwd, "neighbors.log"), `${name} ${JSON.stringify(what)}\n`);
	const tool = (name, more = {}) =>
		pi.registerTool({
			name,
			label: name,
			description: `A neighbor's ${name}`,
			parameters: anything,
			execute: async (_id, params, _signal, _update, ctx) => {
				log(ctx, name, params);
				return { content: [{ type: "text", text: `${name} ran` }], details: {} };
			},
			...more,
		});
	if (wanted.has("tools")) {
		for (const name of [
			"subagent",
			"Agent",
			"workflow",
			"mcp",
			"apply_patch",
			"ctx_execute",
			"read_symbol",
			"my_lookup",
		])
			tool(name);
		tool("hinted", { annotations: { readOnlyHint: true } });
	}
	if (wanted.has("commands")) {
		for (const name of ["handoff", "workflow"])
			pi.registerCommand(name, {
				description: `A neighbor's ${name}`,
				handler: async (args, ctx) => log(ctx, `/${name}`, args),
			});
	}
	if (wanted.has("permission")) {
		pi.on("tool_call", (event, ctx) => {
			const hints = pi.getAllTools().find(({ name }) => name === event.toolName)?.annotations;
			const harmless = hints?.readOnlyHint || (hints?.destructiveHint === false && hints?.openWorldHint === false);
			if (harmless) return undefined;
			log(ctx, "asked", event.toolName);
			return undefined;
		});
	}
	pi.on("session_start", (_event, ctx) => {
		if (!ctx.hasUI) return;
		if (wanted.has("footer"))
			ctx.ui.setFooter(() => ({ invalidate() {}, render: () => ["a footer of somebody else"] }));
		if (wanted.has("clears")) for (const key of ["workflow", "readonly"]) ctx.ui.setStatus(key, undefined);
	});
}
