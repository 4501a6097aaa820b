export { changesAreMeant, isNameRefused, judgeCall, type Stop, stepTool } from "./judge.ts";
export { allowedTools, blockedTools, limitsText, stopRule, stopText } from "./limit-texts.ts";
