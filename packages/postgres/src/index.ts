// Many machines: runs in a Postgres, jobs by pg-boss, files in git refs. Imported only where an engine is named.
export { type Database, openDatabase } from "./database.ts";
export { databaseFailure } from "./database-failure.ts";
export { examine } from "./doctor.ts";
export {
	checkEngineProject,
	findProject,
	folderInRepository,
	openEngineProject,
	projectIn,
	usualQueue,
} from "./engine-project.ts";
export { openHost } from "./host.ts";
export { checkNames, isName } from "./jobs.ts";
export { openHostLog } from "./log.ts";
export { metricsText } from "./metrics.ts";
export type { NoticeEnd, NoticeOrder, NoticeSending } from "./notices.ts";
export { isLimitable, limitKinds, setLimit } from "./quota.ts";
export { queueName } from "./routing.ts";
export { addSchedule, listSchedules, removeSchedule, scheduledStart } from "./schedules.ts";
export { checkVersion, initialize } from "./schema.ts";

export { readServed, serveHere } from "./serve.ts";
export { setUpEngine } from "./setup-engine.ts";
export { drainHosts, readStatus } from "./status.ts";
export { openPostgresStore } from "./store.ts";
export { EngineWorker } from "./worker.ts";
