export {
	askThroughHost,
	type Casting,
	type FrozenRules,
	type LauncherOptions,
	type LocalPlace,
	openLauncher,
	openLocalLauncher,
	readBrief,
	registerWorker,
} from "./worker/index.ts";
