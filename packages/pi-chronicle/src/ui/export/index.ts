export { exportCommand } from "./export-command.ts";
