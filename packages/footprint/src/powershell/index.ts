export { type PowerShellPlace, recordPowerShell } from "./powershell.ts";
