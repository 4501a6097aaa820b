export { answerKeys } from "../tui/answer-keys.ts";
export { type MarkTone, markOf, printable, withoutControls } from "../tui/text.ts";
export { type BackgroundJob, BackgroundWork } from "./commands/background-work.ts";
export { type ChoiceList, chooseFromList, completedChoices, fillLine } from "./commands/command-choice.ts";
export { type ExitCode, exitCodes, failWith, openExitCode } from "./commands/exit-code.ts";
export { foreignTools } from "./commands/foreign-tool.ts";
export { inBackground } from "./commands/in-background.ts";
export {
	catchBareCommands,
	completeWords,
	hasEnded,
	loadedCompletions,
	registerOwnCommand,
} from "./commands/own-commands.ts";
export { rejectCommand } from "./commands/reject-command.ts";
export { openToolSwitch, type ToolSwitch } from "./commands/tool-switch.ts";
export { aboutTool, failedBesideText } from "./commands/tools.ts";
export { keepTypedLines } from "./commands/typed-line.ts";
export { openBadge } from "./display/badge.ts";
export { changeLines, leftLines, maxAsked, maxFiles, restLine, restoreLines } from "./display/change-lines.ts";
export { drawDiagram, showDiagram } from "./display/diagram.ts";
export * from "./display/figures.ts";
export { lateRow } from "./display/late-row.ts";
export { pageMarkdown, pageText } from "./display/pager.ts";
export {
	type Answer,
	askForLine,
	askUser,
	chooseOption,
	type InputQuestion,
	type Question,
	type YesOrNo,
} from "./display/question.ts";
export { rowsAround } from "./display/rows-around.ts";
export { type NoticeLevel, say } from "./display/say.ts";
export { isOwnFile, packageRoot, packageVersion } from "./package/own-package.ts";
export { otherCopy } from "./package/single-copy.ts";
export { offerSkills } from "./package/skills.ts";
export { agentFolder } from "./project/agent-folder.ts";
export { type ExtensionPlace, findExtension } from "./project/extension-source.ts";
export { cachedEnvironment, hostEnvironment } from "./project/host-environment.ts";
export { type NameDefinitions, openDefinitionNotice } from "./project/project-definitions.ts";
export { definitionsTrusted, projectTrust } from "./project/project-trust.ts";
export { chronicleSettings, userSettings, userSettingsFile } from "./project/settings.ts";
export {
	askHost,
	HOST_COMMAND,
	hostAnswer,
	hostNotice,
	hostQuestion,
	orderExtension,
	orderReadonly,
	tellHost,
} from "./rpc/host-line.ts";
export { literalText, sendLiteral } from "./rpc/literal.ts";
export { listedModel, listModels, markDefault, takeNextModel, takeoverText } from "./rpc/models.ts";
export { findPi, isPiCommand, ownPiSearch, type PiCommand } from "./rpc/pi-command.ts";
export {
	linkRpc,
	type RpcAnswer,
	type RpcDialog,
	type RpcLink,
	type RpcListener,
	type RpcRecord,
} from "./rpc/rpc-link.ts";
export { supplyPiPackages } from "./rpc/supplied-packages.ts";
export { isTooOld } from "./rpc/supported-pi.ts";
export { type PiSurvey, type SurveyedCommand, surveyPi } from "./rpc/survey-pi.ts";
export { HELD_SUFFIX, HOLD_VARIABLE, openAwakeClock } from "./session/awake-clock.ts";
export { customEntries, newestFirst, type Session, writeEntry } from "./session/branch.ts";
export { openInstances } from "./session/instances.ts";
export { openOnce } from "./session/open-once.ts";
export { openReloadSlot } from "./session/reload-slot.ts";
export { openScope, openSessionScope, type Scope } from "./session/scope.ts";
export { failStep, type LeftWork, runAsStep, type StepEnd, stepOf, waitForEnd } from "./session/step.ts";
export { contentText } from "./turn/content-text.ts";
export { classifyProviderError, type ProviderFailure } from "./turn/provider-failure.ts";
export { resetIn, resetInHeaders } from "./turn/provider-reset.ts";
export { followRun, runTurn, type TurnOutcome } from "./turn/turns.ts";
export { meterUsage, type Spent } from "./turn/usage-meter.ts";
