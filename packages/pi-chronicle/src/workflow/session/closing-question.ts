// Recognizes that a model ended its turn with a question to the user, by the end of its text.
// A question that the text itself answers is none; a mistake is cheap: the model is only asked to use `ask`; a recommendation, thanks
// and the permitted answers in brackets may follow a question.

/** Question marks of all scripts. The Greek one looks like a semicolon. */
const questionMarks = "?？؟⁇⁈⁉‽⸮፧՞꘏꫱᥅﹖\u037e";
/** Characters that may follow the last mark: quotes, brackets, emphasis, emoji, other marks. */
const closers = /(?:[\s*_~`"'”’»«›‹」』）)\]}>.!！。…]|\p{Extended_Pictographic}|\p{Emoji_Modifier}|\p{Cf}|\ufe0f)+$/u;

/** The permitted answers in brackets, after a question. */
const permitted = /(?<=[?？؟]["'”’*_]*)\s*[([（【][^?？()[\]（）【】]{1,60}[)\]）】][\s.。]*$/u;

/** Requests that end without a question mark, by language. They may follow the question itself. */
const requests = [
	// English
	/\b(let me know|please (advise|answer|choose|clarify|confirm|decide|enter|give|paste|pick|provide|reply|respond|select|send|share|specify|supply|tell me)|tell me (if|how|what|when|where|whether|which|who)|(await|wait|waiting) (for )?your|your (answer|choice|decision|input)|(answer|reply|respond) (by|with))\b|^(choose|confirm|decide|pick|select)\b.*\b(either|if|number|one|option|or|whether|which)\b/i,
	// German
	/\b(sag(en sie)? mir|gib mir bescheid|geben sie mir bescheid|bitte (antworte|bestätige|entscheide|gib|nenne|schick|wähle|antworten|bestätigen|entscheiden|geben|nennen|schicken|wählen)|antworte(n sie)? mit|warte auf (deine|ihre))/i,
	// French
	/\b(dis-moi|dites-moi|merci de (choisir|confirmer|donner|fournir|indiquer|préciser|répondre)|répond(s|ez) (avec|par)|veuillez|j'attends (ta|votre))/i,
	// Spanish, Portuguese, Italian
	/\b(dime|dígame|avísame|por favor,? (confirma|elige|envía|indica|proporciona|responde|confirme|elija|envíe|indique|proporcione|responda|escolha|envie|forneça|informe)|per favore,? (conferma|fornisci|indica|scegli|rispondi)|me diga|diga-me|me avise|fammi sapere|mi dica|dimmi)\b/i,
	// Russian
	/(сообщите|скажите|подтвердите|ответьте|выберите|предоставьте|пришлите|укажите|уточните|дайте знать|жду (вашего|твоего))/i,
	// Chinese, Japanese, Korean
	/(请(告诉我|确认|选择|回复|告知|提供|指定|输入)|請(告訴我|確認|選擇|回覆|提供|指定|輸入)|(教えて|お知らせ|ご確認|選んで|(指定|提供|入力|共有|返信)して)(ください|下さい)|알려\s?주세요|(확인|제공|입력|지정|선택)해\s?주세요)/,
] as const;

/** Words by which a sentence asks the user what the model should do. */
const askedUser =
	/\b(((can|could|may|must|shall|should) (I|we))|((are|can|could|do|did|should|will|would) you)|you'd (like|prefer)|soll(en|te)? (ich|wir)|(darf|kann) ich|(möchte(st|n)|will(st)?|wollen) (du|sie)|dois-je|puis-je|(préfér|voul)ez-vous|(préfères|veux)-tu|(debo|puedo|prefieres?|quieres?|devo|posso|preferisci|vuoi|prefere|você quer))\b|(мне (следует|стоит)|(вы )?хотите|ты хочешь)/i;

/** Words that begin a question. */
const interrogative = /^\W*(can|could|do|how|may|shall|should|what|when|where|which|who|would)\b/i;

/** What the model would choose, which it may say after its question. */
const recommendation =
	/\b(advise|I('d| would) (choose|go|pick|take|use)|default|lean|prefer|propose|recommend|suggest)|empfehl|vorschlag|würde|recommand|suggère|recom(iendo|endo)|sugi?ero|consigli|рекоменд|предлагаю|建议|建議|推荐|推薦|おすすめ|推奨|추천/i;

const thanks =
	/^\W*(thanks|thank you|cheers|danke|vielen dank|merci|gracias|obrigad[oa]|grazie|спасибо|谢谢|謝謝|ありがとう|감사)[^?]{0,40}$/i;

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
	for (const from of [last, last - 1, last - 2]) {
		const paragraph = paragraphs[from];
		if (paragraph === undefined) break;
		if (asksSomething(paragraph)) return paragraphs.slice(from).join("\n\n").slice(0, 4_000);
		// The choices of a question may follow it, as a list.
		if (
			!isList(paragraph) &&
			!thanks.test(paragraph) &&
			!(recommendation.test(paragraph) && sentencesOf(paragraph).length === 1)
		)
			break;
	}
	return undefined;
}

function asksSomething(paragraph: string): boolean {
	const lines = paragraph.split("\n");
	const lead = lines.findIndex((line) => isItem(line));
	// The choices may also stand in the same paragraph, and a last line may follow them.
	const heads = lead > 0 ? [lines[lead - 1] ?? "", lines.at(-1) ?? ""] : [lines.at(-1) ?? ""];
	return heads.some((line) => isQuestionLine(line) || asksInside(line));
}

/** Whether the last sentences of a line ask or request something of the user. */
function asksInside(line: string): boolean {
	const sentences = sentencesOf(line);
	const last = sentences.at(-1) ?? "";
	if (requests.some((request) => request.test(last))) return true;
	if (interrogative.test(last) && askedUser.test(last)) return true;
	if (thanks.test(last)) return asksInside(sentences.slice(0, -1).join(" ")) || isQuestionLine(sentences.at(-2) ?? "");
	return isQuestionLine(sentences.at(-2) ?? "") && recommendation.test(last);
}

function isQuestionLine(line: string): boolean {
	const bare = line.replace(permitted, "").replace(closers, "");
	if (questionMarks.includes([...bare].at(-1) ?? " ")) return true;
	// In Greek, a semicolon is the question mark.
	if (/\p{Script=Greek};$/u.test(bare)) return true;
	// The Armenian mark stands inside the last word.
	return /՞\p{L}*$/u.test(bare.replace(/[։:]$/u, "")) || spokenQuestion.test(bare);
}

function sentencesOf(line: string): readonly string[] {
	return line.trim().split(/(?<=[.!?][*_"'”’)]*)\s+(?=\S)|(?<=[。！？])\s*(?=\S)/u);
}

function isList(paragraph: string): boolean {
	return paragraph.split("\n").every((line) => isItem(line) || /^\s{2,}\S/.test(line));
}

function isItem(line: string): boolean {
	return /^\s*([-*•–]|\(?[\p{L}\d]{1,2}[.):])\s/u.test(line);
}
