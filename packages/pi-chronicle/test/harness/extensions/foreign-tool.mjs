// Tools of somebody else's extension. FOREIGN_TOOLS names them (comma-separated; default `patch_file`). Each appends what it was
// given to the file `<tool>.log` of the project, so that a test sees on disk whether it ran.
import { appendFileSync } from "node:fs";
import { join } from "node:path";

export default function foreignTool(pi) {
	for (const name of (process.env.FOREIGN_TOOLS ?? "patch_file").split(",")) {
		pi.registerTool({
			name,
			label: name,
			description: `A tool of another extension: ${name}`,
			parameters: {
				type: "object",
				properties: { path: { type: "string" }, text: { type: "string" } },
				additionalProperties: true,
			},
			execute: async (_id, params, _signal, _update, ctx) => {
				appendFileSync(join(ctx.cwd, `${name}.log`), `${JSON.stringify(params)}\n`);
				return { content: [{ type: "text", text: `${name} ran` }], details: {} };
			},
		});
	}
}
