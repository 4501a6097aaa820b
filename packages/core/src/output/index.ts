export * from "./reference.ts";
