export { briefOf, entriesToShorten } from "./brief-of-run.ts";
export { continuedText, firstMessageText, fullHandover } from "./first-message.ts";
export { savedLists } from "./list-text.ts";
