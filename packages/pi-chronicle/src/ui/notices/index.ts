export { notifyCommand } from "./notify-command.ts";
