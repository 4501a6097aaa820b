// A process that restores files, during which it is killed. Arguments: project, private folder, target state, current state of the files.
import { join } from "node:path";
import { openGitWorkspace } from "../../../src/local/workspace/index.ts";

const [cwd = "", folder = "", tree = "", expected = ""] = process.argv.slice(2);
const workspace = openGitWorkspace({
	cwd,
	folder,
	leftOut: [join(cwd, ".pi", "chronicle")],
	limits: { fileBytes: 500 },
});
process.stdout.write("begun\n");
await workspace.restore(tree, { expected });
