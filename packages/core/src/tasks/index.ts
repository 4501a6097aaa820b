export { readTaskList } from "./task-list.ts";
