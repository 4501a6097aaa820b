export { joinRehearsal } from "./join.ts";
