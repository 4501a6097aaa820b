export { allowOnce, answerLines, forget, type Told } from "./command.ts";
export { answersFile } from "./file.ts";
export { type AnswerBook, openAnswers } from "./session.ts";
