// The footprint of the file tools that coding agents share: read, write, edit, grep, find, ls. Shell tools are in `compute.ts`.
import type { AccessKind } from "./footprint.ts";
import { resolveReadPath, resolveToolPath } from "./paths.ts";
import { harmOf } from "./places.ts";
import type { AccessDetail, FootprintRecord } from "./record.ts";

type Input = Readonly<{ [name: string]: unknown }>;

/** Records what a file tool would access; false if `tool` is not a file tool. */
export function recordFileTool(tool: string, input: Input, record: FootprintRecord): boolean {
	const path = typeof input.path === "string" ? input.path : undefined;
	switch (tool) {
		case "read":
			place(record, "read", path, tool, resolveReadPath);
			return true;
		case "write":
			place(record, "write", path, tool, resolveToolPath, { replaces: true });
			return true;
		case "edit":
			place(record, "read", path, tool, resolveToolPath);
			place(record, "write", path, tool, resolveToolPath);
			return true;
		case "grep":
		case "find": {
			const [access, glob] = tool === "grep" ? (["read", input.glob] as const) : (["list", input.pattern] as const);
			const only = typeof glob === "string" && glob !== "" ? { only: [glob] } : {};
			place(record, access, path || ".", tool, resolveToolPath, { recursive: true, skips: ["ignored"], ...only });
			return true;
		}
		case "ls":
			place(record, "list", path || ".", tool, resolveToolPath);
			return true;
		default:
			return false;
	}
}

function place(
	record: FootprintRecord,
	access: AccessKind,
	argument: string | undefined,
	tool: string,
	resolve: typeof resolveToolPath,
	detail?: AccessDetail,
): void {
	// An agent refuses a call without a path, so nothing would be accessed.
	if (argument === undefined) return;
	const path = resolve(argument, record.host);
	if (path === undefined) record.unknown({ what: "operand", text: argument });
	else {
		record.access(access, path, tool, detail);
		const harm = access === "write" ? harmOf(path, record.host, true) : undefined;
		if (harm) record.run({ program: tool, args: [path], text: `${tool} ${path}`, effects: [harm] });
	}
}
