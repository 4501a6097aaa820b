// Every case of faults.ts.

import { startPostgres } from "../../pi-chronicle/test/harness/postgres.ts";
import { openEngineStage, openStageModel } from "./engine-stage.ts";
import { faults } from "./faults.ts";
import { describeFaults } from "./play-faults.ts";

describeFaults("a run on an engine finishes", faults, async (number) => {
	const server = await openStageModel();
	return Promise.all(
		Array.from({ length: number }, async () => openEngineStage(server, { cluster: await startPostgres() })),
	);
});
