export {
	type Casting,
	type FrozenRules,
	type LauncherOptions,
	openLauncher,
	readBrief,
	registerWorker,
} from "./worker/index.ts";
