import type { Command } from "../chronicle/index.ts";
export const importDefinitions = {} as Command;
