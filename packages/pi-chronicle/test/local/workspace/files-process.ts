// A process that performs one operation of the workspace, during which it is killed. Arguments: project, private folder, request as JSON.
import { join } from "node:path";
import { openGitWorkspace } from "../../../src/local/workspace/index.ts";

const [cwd = "", folder = "", request = "{}"] = process.argv.slice(2);
const workspace = openGitWorkspace({ cwd, folder, leftOut: [join(cwd, ".pi", "chronicle")] });
const { kind, ...rest } = JSON.parse(request);
if (kind === "openChild") await workspace.openChild(rest.child, rest.tree);
else if (kind === "merge") await workspace.merge(rest.sides);
else await workspace.join(rest);
