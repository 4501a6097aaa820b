// Every case of child-faults.ts.
import { openModelServer } from "../../pi-chronicle/test/harness/index.ts";
import { startPostgres } from "../../pi-chronicle/test/harness/postgres.ts";
import { answerPart, childFaults, familyFiles } from "./child-faults.ts";
import { openEngineStage } from "./engine-stage.ts";
import { describeFaults } from "./play-faults.ts";

describeFaults("a run and its children on an engine finish", childFaults, async (number) => {
	const server = await openModelServer(answerPart);
	return Promise.all(
		Array.from({ length: number }, async () =>
			openEngineStage(server, { files: familyFiles, cluster: await startPostgres() }),
		),
	);
});
