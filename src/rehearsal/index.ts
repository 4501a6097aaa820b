export { callSheetVariable } from "./call-sheet.ts";
export { joinRehearsal } from "./cast.ts";
