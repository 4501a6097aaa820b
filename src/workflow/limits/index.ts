export { changesAreMeant, isNameRefused, judgeCall, type Stop, stepTool } from "./judge.ts";
export { isListed } from "./names.ts";
export { allowedTools, blockedTools, limitsText, stopRule, stopText } from "./words.ts";
