// Whether a model ended its turn with a question to the user.
import { expect, it } from "vitest";
import { closingQuestion } from "../../src/workflow/session/closing-question.ts";

it.each([
	"Which database should I use?",
	"Soll ich Postgres nehmen oder SQLite?",
	"¿Qué base de datos uso?",
	"Quelle base ?",
	"Продолжать?",
	"どのデータベースを使いますか。",
	"使用哪个数据库？",
	"需要我继续吗。",
	"请告诉我使用哪个端口。",
	"어떤 것을 사용할까요.",
	"ต้องการให้ทำต่อไหม",
	"هل أتابع؟",
	"Ποια βάση να χρησιμοποιήσω;",
	"Ո՞ր",
	"Really?!",
	"**Should I go on?**",
	"Should I go on? 🙂",
	"(Should I?)",
	'Do you want "a" or "b"?',
	"Which one?\n\n1. Postgres\n2. SQLite",
	"Which one?\n- Postgres\n- SQLite",
	"Open questions:\n1. Which port?\n2. Which host?",
	"Which one?\n- Postgres\n- SQLite\n\nI'll wait for your answer.",
	"I found two ways. Let me know which one you prefer.",
	"Bitte bestätige, dass ich weitermachen soll.",
	"Shall I continue? (yes/no)",
	"Soll ich weitermachen? [j/n]",
	"继续吗？（是/否）",
	"Which one?\n\n- Postgres\n- SQLite\n\nThanks!",
	"Which port?\n\nThank you.",
	"Which port? Thanks!",
	"Should I use A or B? I recommend A.",
	"Should I use A or B?\n\nI'd go with A.",
	"Soll ich A oder B nehmen? Ich empfehle A.",
	"使用A还是B？我建议A。",
	"Please provide the API key.",
	"I cannot sign in. Please send me the password of the test account.",
	"Bitte nenne mir den Port.",
	"Por favor, indica el puerto.",
	"Укажите порт.",
	"请提供密钥。",
	"Options:\n1. Postgres\n2. SQLite\n\nReply with the number.",
	"Options: (a) Postgres, (b) SQLite. Choose one of them.",
	"Which port should I use: 80 or 8080",
	"Should I run this?\n\n```\nrm -rf dist\n```",
])("a question: %j", (text) => {
	expect(closingQuestion(`I read the code.\n\n${text}`)).toBeTruthy();
	expect(closingQuestion(text)).toBeTruthy();
});

it.each([
	"",
	"I am done.",
	"Done with a",
	"Why did it fail? Because the index was wrong.",
	"The question was: which port? It is 80.",
	"The tests pass; everything is fine.",
	"I ran `grep foo?`",
	"```\nwhat?\n```",
	"1. wrote the test\n2. repaired the code",
	"What is left?\n\nNothing: all tests pass.",
	"What is left? Nothing (see the log).",
	"I recommend A.",
	"Thanks!",
	"I chose A, as you prefer.",
	"What you should know: I used port 80.",
	"Select queries are fast now.",
	"この修正は完了しました。",
	"修好了。",
])("no question: %j", (text) => {
	expect(closingQuestion(text)).toBeUndefined();
});

it("is the paragraph with the question, and the choices after it", () => {
	expect(closingQuestion("I looked.\n\nWhich one?\n\n- a\n- b")).toBe("Which one?\n\n- a\n- b");
});
