export { briefOf, entriesToShorten } from "./brief-of-run.ts";
export { continuedText } from "./continued.ts";
export { firstMessageText, fullHandover } from "./first-message.ts";
