// The test bench: real pi, a scripted model, projects on real disk. README.md shows how to add a case.
export { type Bench, type BenchOptions, openBench } from "./bench.ts";
export { openFolder } from "./folder.ts";
export { keyBytes } from "./keys.ts";
export type { LaunchOptions } from "./launch.ts";
export { type Close, closeLater, keepForFile } from "./lifetime.ts";
export type { ChatBody, ChatMessage, ModelRequest, SeenResult } from "./model-request.ts";
export { type Answer, type KeyedScript, type ModelServer, openModelServer, type Script } from "./model-server.ts";
export { defaultModel, scriptedModels } from "./models.ts";
export {
	copyCheckout,
	installRuntimeDependencies,
	installTarball,
	linkDependencies,
	pack,
	type Ran,
	run,
} from "./package-copy.ts";
export { expectPicture, type PictureOptions, pictureFolder, pictureLines } from "./picture.ts";
export { type Printed, type PrintOptions, type ProgramOptions, runNode, runPrint, runProgram } from "./print.ts";
export { assertNoProcessWith, killQuietly, processesWith, type TaggedProcess, tagVariable } from "./processes.ts";
export { type Files, openProject, type Project, type ProjectOptions, writeFiles } from "./project.ts";
export type { WireRecord } from "./records.ts";
export { openRegistry } from "./registry.ts";
export {
	call,
	calls,
	drop,
	fail,
	gate,
	hang,
	type MessageOptions,
	type Reply,
	type ReplyCall,
	type ReplyUsage,
	say,
} from "./reply.ts";
export { type Disposition, type Exit, type ProbeReport, type Rpc, type RpcOptions, startRpc } from "./rpc.ts";
export { type Dialog, type DialogAnswer, type DialogAnswers, type Notification, plain } from "./rpc-screen.ts";
export { type Run, type Snapshot, type Style, snapshotOf, svgOf } from "./screen.ts";
export { readSession, SessionDraft, type StoredEntry, type StoredSession } from "./session-draft.ts";
export { startTerminal, startTui, type Tui, type TuiOptions } from "./tui.ts";
export {
	checkout,
	fixtureExtension,
	type PackageUnderTest,
	packageAt,
	packageFolder,
	packageUnderTest,
	piScript,
} from "./under-test.ts";
