// Recognizes that a model ended its turn with a question to the user, by the end of its text.
// Q1 a question that the text itself answers is none; Q2 a mistake is cheap: the model is only asked to use `ask`.

/** Question marks of all scripts. The Greek one looks like a semicolon. */
const questionMarks = "?？؟⁇⁈⁉‽⸮፧՞꘏꫱᥅﹖\u037e";
/** Characters that may follow the last mark: quotes, brackets, emphasis, emoji, other marks. */
const closers = /(?:[\s*_~`"'”’»«›‹」』）)\]}>.!！。…]|\p{Extended_Pictographic}|\p{Emoji_Modifier}|\p{Cf}|\ufe0f)+$/u;

/** Requests that end without a question mark, by language. They may follow the question itself. */
const requests = [
	// English
	/\b(let me know|please (advise|answer|choose|clarify|confirm|decide|pick|reply|respond|tell me)|tell me (if|how|what|when|where|whether|which|who)|(await|wait|waiting) (for )?your|your (answer|choice|decision|input))\b/i,
	// German
	/\b(sag(en sie)? mir|gib mir bescheid|geben sie mir bescheid|bitte (antworte|bestätige|entscheide|wähle|bestätigen|entscheiden|wählen)|warte auf (deine|ihre))/i,
	// French
	/\b(dis-moi|dites-moi|merci de (confirmer|préciser|choisir|répondre)|veuillez|j'attends (ta|votre))/i,
	// Spanish, Portuguese, Italian
	/\b(dime|dígame|avísame|por favor,? (confirma|elige|indica|responde|confirme|escolha|responda)|me diga|diga-me|me avise|fammi sapere|mi dica|dimmi)\b/i,
	// Russian
	/(сообщите|скажите|подтвердите|дайте знать|жду (вашего|твоего))/i,
	// Chinese, Japanese, Korean
	/(请(告诉我|确认|选择|回复|告知)|請(告訴我|確認|選擇|回覆)|(教えて|お知らせ|ご確認|選んで)(ください|下さい)|알려\s?주세요|확인해\s?주세요)/,
] as const;

/** Sentences that are questions without a mark: Chinese, Japanese, Korean, Thai. */
const spokenQuestion =
	/(吗|嗎|(です|ます|ました|ません|でしょう|だろう)か|(습니|입니|합니|ㅂ니|을|할|될|일)까요?|나요|(ไหม|มั้ย|หรือไม่)(ครับ|คะ|ค่ะ)?)$/;

/** The question at the end of a model's text; `undefined` if it does not end with one. At most 4,000 characters. */
export function closingQuestion(text: string): string | undefined {
	const prose = text
		.replace(/```[\s\S]*?(```|$)/g, "")
		.replace(/`[^`\n]*`/g, (code) => code.replace(/[?？]/g, " "))
		.trim();
	const paragraphs = prose.split(/\n\s*\n/).filter((part) => part.trim() !== "");
	const last = paragraphs.length - 1;
	for (const from of [last, last - 1]) {
		const paragraph = paragraphs[from];
		if (paragraph === undefined) break;
		if (asks(paragraph)) return paragraphs.slice(from).join("\n\n").slice(0, 4_000);
		// The choices of a question may follow it, as a list.
		if (!isList(paragraph)) break;
	}
	return undefined;
}

function asks(paragraph: string): boolean {
	const lines = paragraph.split("\n");
	const lead = lines.findIndex((line) => isItem(line));
	// The choices may also stand in the same paragraph, and a last line may follow them.
	const heads = lead > 0 ? [lines[lead - 1] ?? "", lines.at(-1) ?? ""] : [lines.at(-1) ?? ""];
	return heads.some((line) => isQuestion(line) || requests.some((request) => request.test(lastSentence(line))));
}

function isQuestion(line: string): boolean {
	const bare = line.replace(closers, "");
	if (questionMarks.includes([...bare].at(-1) ?? " ")) return true;
	// In Greek, a semicolon is the question mark.
	if (/\p{Script=Greek};$/u.test(bare)) return true;
	// The Armenian mark stands inside the last word.
	return /՞\p{L}*$/u.test(bare.replace(/[։:]$/u, "")) || spokenQuestion.test(bare);
}

/** The text after the last end of a sentence before the line's own end. */
function lastSentence(line: string): string {
	return (
		line
			.trim()
			.split(/(?<=[.!?。！？])\s*(?=\S)/u)
			.at(-1) ?? ""
	);
}

function isList(paragraph: string): boolean {
	return paragraph.split("\n").every((line) => isItem(line) || /^\s{2,}\S/.test(line));
}

function isItem(line: string): boolean {
	return /^\s*([-*•–]|\(?[\p{L}\d]{1,2}[.):])\s/u.test(line);
}
