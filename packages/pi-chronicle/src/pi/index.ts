export { answerKeys } from "../tui/answer-keys.ts";
export { type MarkTone, markOf, printable, withoutControls } from "../tui/text.ts";
export { agentFolder } from "./agent-folder.ts";
export { HELD_SUFFIX, HOLD_VARIABLE, openAwakeClock } from "./awake-clock.ts";
export { type BackgroundJob, BackgroundWork } from "./background-work.ts";
export { openBadge } from "./badge.ts";
export { customEntries, newestFirst, type Session, writeEntry } from "./branch.ts";
export { changeLines, leftLines, maxAsked, maxFiles, restLine, restoreLines } from "./change-lines.ts";
export { type ChoiceList, chooseFromList, completedChoices, fillLine } from "./command-choice.ts";
export { contentText } from "./content-text.ts";
export { drawDiagram, showDiagram } from "./diagram.ts";
export { type ExitCode, exitCodes, failWith, openExitCode } from "./exit-code.ts";
export { type ExtensionPlace, findExtension } from "./extension-source.ts";
export * from "./figures.ts";
export { foreignTools } from "./foreign-tool.ts";
export { cachedEnvironment, hostEnvironment } from "./host-environment.ts";
export {
	askHost,
	HOST_COMMAND,
	hostAnswer,
	hostNotice,
	hostQuestion,
	orderExtension,
	orderReadonly,
	tellHost,
} from "./host-line.ts";
export { inBackground } from "./in-background.ts";
export { openInstances } from "./instances.ts";
export { lateRow } from "./late-row.ts";
export { literalText, sendLiteral } from "./literal.ts";
export { listedModel, listModels, markDefault, takeNextModel, takeoverText } from "./models.ts";
export { openOnce } from "./open-once.ts";
export { catchBareCommands, completeWords, hasEnded, loadedCompletions, registerOwnCommand } from "./own-commands.ts";
export { isOwnFile, packageRoot, packageVersion } from "./own-package.ts";
export { pageMarkdown, pageText } from "./pager.ts";
export { findPi, isPiCommand, ownPiSearch, type PiCommand } from "./pi-command.ts";
export { type NameDefinitions, openDefinitionNotice } from "./project-definitions.ts";
export { definitionsTrusted, projectTrust } from "./project-trust.ts";
export { classifyProviderError, type ProviderFailure } from "./provider-failure.ts";
export { resetIn, resetInHeaders } from "./provider-reset.ts";
export {
	type Answer,
	askForLine,
	askUser,
	chooseOption,
	type InputQuestion,
	type Question,
	type YesOrNo,
} from "./question.ts";
export { rejectCommand } from "./reject-command.ts";
export { openReloadSlot } from "./reload-slot.ts";
export { rowsAround } from "./rows-around.ts";
export {
	linkRpc,
	type RpcAnswer,
	type RpcDialog,
	type RpcLink,
	type RpcListener,
	type RpcRecord,
} from "./rpc-link.ts";
export { type NoticeLevel, say } from "./say.ts";
export { openScope, openSessionScope, type Scope } from "./scope.ts";
export { chronicleSettings, userSettings, userSettingsFile } from "./settings.ts";
export { otherCopy } from "./single-copy.ts";
export { offerSkills } from "./skills.ts";
export { failStep, type LeftWork, runAsStep, type StepEnd, stepOf, waitForEnd } from "./step.ts";
export { supplyPiPackages } from "./supplied-packages.ts";
export { isTooOld } from "./supported-pi.ts";
export { type PiSurvey, type SurveyedCommand, surveyPi } from "./survey-pi.ts";
export { openToolSwitch, type ToolSwitch } from "./tool-switch.ts";
export { aboutTool } from "./tools.ts";
export { followRun, runTurn, type TurnOutcome } from "./turns.ts";
export { keepTypedLines } from "./typed-line.ts";
export { meterUsage, type Spent } from "./usage-meter.ts";
