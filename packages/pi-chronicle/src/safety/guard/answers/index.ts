export { allowOnce, answerLines, type CommandReply, forget } from "./command.ts";
export { answersFile } from "./file.ts";
export { type AnswerBook, openAnswers } from "./session.ts";
