export { recordPowerShell } from "./powershell.ts";
