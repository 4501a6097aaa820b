export { bar, shortCost, shortCount, shortTime } from "../../../pi/index.ts";
export { type Crumb, crumbsOf, crumbText, currentMark } from "./crumbs.ts";
export { endingWords } from "./ending.ts";
export { keptLine } from "./kept.ts";
export { type Mark, marks, templateNameOf, titleOf } from "./marks.ts";
export { type NextStep, nextStep } from "./next-step.ts";
