export { openHostNotices } from "./host-notices.ts";
export { notifyCommand } from "./notify-command.ts";
