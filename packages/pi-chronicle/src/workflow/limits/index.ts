export { changesAreMeant, containmentOf, isNameRefused, judgeCall, type Stop, stepTool } from "./judge.ts";
export { allowedTools, blockedTools, copyText, limitsText, stopRule, stopText } from "./limit-texts.ts";
