"""A sentence in, what its words say about the call beside it out.

Where a call stands decides most (`lead_in`, `follow_up`). Words decide the rest, and they are kept
here, by what they say and by language: a stem is enough in most of them.
"""

from __future__ import annotations

import re

Words = re.Pattern[str]


def _any(*words: str) -> Words:
    return re.compile("|".join(words), re.IGNORECASE)


# ── somebody who is about to act ─────────────────────────────────────────────

_EXHIBIT = (
    r"show|explain|demonstrate|illustrate|describe|quote|cite|paste|repeat|translate|summari[sz]e|present|walk|tell|say|recap|discuss"
    r"|document|annotate|imagine|assume|suppose|pretend|consider|give|provide|reproduce|include|write\s++(?:down|out)|(?:use|take|look\s++at|see|make)\s++(?:an?|this|the\s++following|another|one)\s++(?:examples?|samples?)"
)
_ADVERBS = r"(?:\s++(?:now|just|first|also|quickly|try\s++to|go\s++ahead\s++and|then|again|simply|next|briefly|please|only))*+"
_WILL = re.compile(
    rf"\b(?:(?:I|we)(?:['’]ll|\s++will|\s++shall|\s++(?:need|have|want|ought|intend|plan)\s++to|\s++need(?=\s)|\s++(?:should|must|can)(?!\s++have)|['’]d\s++like\s++to|\s++now(?=\s)"
    rf"|(?:['’]m|['’]re|\s++am|\s++are)(?=\s++(?:\w++\s++)?\w+ing\b)(?:\s++(?:going|about|trying)\s++to)?)|let\s++me|lemme|let['’]s|let\s++us|\bI(?:['’]d|\s++would)\s++be\s++(?:glad|happy)\s++to|allow\s++me\s++to|(?:I|we)\s++(?=(?:check|look|search|start|begin|ask|query|fetch|get|open|try|run)\b))"
    rf"(?!{_ADVERBS}\s++(?:not|never|n['’]t|{_EXHIBIT})\b)(?!\s++know\s++(?:if|whether|when)\b)",
    re.IGNORECASE,
)
"""The first person, and what it does next; not what it shows or leaves undone."""
_DOING = re.compile(
    r"\W*+(?:(?:sure(?: thing)?|of course|no problem|ok|okay|right|alright|great|thanks|now|first|next|then|so|and|understood|got it|good|perfect|yes|moment|again)\b[\s,;:.!—–-]*+)*+"
    r"(?!(?:follow|accord|regard|concern|depend|be|hav|noth|someth|anyth|everyth|dur|str|warn|miss|list|mean|br|k|th|quot|cit|show|writ|head|assum|suppos|exist|includ)ing\b)[a-z]{2,}ing\b",
    re.IGNORECASE,
)
"""What is being done, without a word of who does it: "Looking it up"."""
_FINITE = re.compile(
    r"\b(?:is|are|was|were|be|looks?|gives?|gave|prints?|printed|produces?|returns?|returned|results?\s++in|yields?|works?|would|could|might|should|must|means?|shows?|failed|fails|had|did|does|has|requires?|needs?)\b",
    re.IGNORECASE,
)
_WELCOME = (
    r"(?:sure(?: thing)?|ok|okay|of course|certainly|absolutely|gladly|got it|understood|i (?:see|understand)|right(?: away)?|all ?right|great|perfect|fine|excellent|wonderful|no (?:problem|worries)|on (?:it|my way)|will do|yes|yep|happy to(?: help)?|one (?:moment|second|sec)|just a (?:moment|second|sec)"
    r"|hold on|thanks|thank you|please|now|well|so|hm+|ah|oh|hello|hi|hey|welcome|cool|nice|noted|ready|sounds good|you got it|consider it done|as you wish|coming right up|here goes|good|interesting|sorry|my apologies|you['’]re (?:right|welcome)|natürlich|klar|gerne?|verstanden|alles klar|bien sûr|d['’]accord|entendu|claro|por supuesto|entendido|certo|va bene|perfeito|certamente|natuurlijk|jasne"
    r"|конечно|хорошо|сейчас|понял[аи]?|好的|当然|稍等|明白了?|没问题|了解|はい|承知しました|かしこまりました|少々お待ちください|네|알겠습니다|tabii|baik|javisst|moment|een moment|un momento|um momento|un instant|بالتأكيد|ज़रूर)"
)
_READY = re.compile(rf"\W*+(?:{_WELCOME}[\W_]*+)++\Z", re.IGNORECASE)
"""Nothing but a word that says that it will be done."""
_TALKS = _any(
    rf"\A\W*+{_WELCOME}(?!\w)",
    r"\A\W*+(?:first|now|next|then|finally|also|again|zuerst|jetzt|nun|dann|d['’]abord|maintenant|ensuite|primero|ahora|luego|primeiro|agora|prima|adesso|сначала|теперь|затем|首先|然后|接下来|まず|次に|먼저|이제)\b",
    r"\bI\b(?!(?:['’]\w++)?\s++(?:\w++\s++)?(?:\w{2,}ed|ran|run|called|made|wrote|written|sent|used|did|done|told|got|found|saw|went|took)\b)|\b(?:my|we|our)\b|\byou(?:['’]re|r|\s++(?:are|want|need|have|said|mean|mentioned|prefer|like|asked\s++(?:for|about|whether|if|what|how)))?\b(?!\s++(?:asked|requested|sent|pasted|can|could|must|should|may|prompt|file|terminal|code|message|text))",
    r"\b(?:needs?|needed|requires?|required|necessary|time to|takes)\b|\bfirst\W*+\Z|\A\W*+(?:that['’]s|what)\s++an?\s++(?:great|good|nice|lovely|fine|interesting|excellent)\b|\A\W*+(?:thoughts?|plan|reasoning|reflection|thinking)\s*+:|\b(?:brauch\w*|nötig|benötig\w*)\b|\b(?:il (?:me |nous )?faut|besoin)\b|\b(?:necesit\w*|hace falta)\b|\bprecis[oa]\w*\b|\bserve\b|нуж[енн]|需要|必要|필요",
)  # fmt: skip
"""Words of somebody who talks with the reader, and about what the answer needs."""
_WILL_ELSEWHERE = _any(
    r"\b(?:ich|wir)\b(?![^.]{0,60}\b(?:nicht|nie|niemals|kein)\b)(?! (?:habe|hatte|würde|könnte|hätte|zeige|erkläre|zitiere))(?<!habe ich)(?<!hatte ich)(?<!würde ich)(?<!könnte ich)|\blass(?:t|en sie)? (?:mich|uns)\b",
    r"\b(?:je (?!n['e]|(?:\w+ )?[ltv]['’]a)|j['’](?!ai|avais|aurais))(?!(?:pourrais|voudrais|montre|cite|vous montre|t['e]))|\b(?:laisse|laissez|permettez|permets)[- ]moi\b|\bvoyons\b|\b(?:nous )?allons\b",
    r"\b(?:voy|vamos) a(?!\s++(?:mostrar|explicar|citar))\b|\b(?:déj[ae]me|permítame|permíteme|estoy \w+ndo|procedo|consulto|busco|reviso|compruebo|ejecuto|llamo|miro)\b",
    r"\bvou(?!\s++(?:mostrar|explicar|citar))\b|\b(?:deixe-me|deixa-me|permita-me|estou \w+ndo|estou a|consulto|verifico|procuro)\b",
    r"\b(?:controllo|cerco|verifico|vado a|lasciami|fammi|mi lasci|sto \w+ndo|procedo|eseguo|chiamo|faccio)\b",
    r"\b(?:ik(?! (?:heb|had|zou|kan niet))(?![^.]{0,40}\bniet\b)|laat (?:me|mij|ons))\b|\b(?:jag(?! (?:har|hade|skulle))|jeg(?! (?:har|havde|hadde|ville))|låt mig|lad mig|la meg)\b",
    r"сейчас|давайте|\bя (?:сделаю|посмотрю|проверю|вызову|найду|узнаю|запрошу|поищу|проверяю|вызываю|ищу|выполню)|\b(?:посмотрю|проверю|вызову|найду|узнаю|запрошу|поищу|проверяю|вызываю|выполню|ищу)\b|зараз|перевірю|подивлюся",
    r"\b(?:sprawdzę|sprawdzam|zobaczę|zaraz|pozwól|szukam|wywołuję|wywołam|poszukam|uruchamiam)\b|\b(?:podívám|zkontroluji|zjistím|ověřím|spouštím)\b",
    r"\w(?:[ıiuü]yorum|[ae]ca[ğg][ıi]m|ece[ğg]im|[ae]y[ıi]m)\b|\b(?:saya akan|mari kita|biar saya|tôi sẽ|để tôi|tarkistan|katson|haen)\b",
    r"我(?:们|們)?(?:现在|現在|这就|這就|马上|馬上|先|就|再)*(?:来|來|会|會|将|將|去|要|需要|帮|幫|查|看|调用|調用|执行|執行|使用|正在)(?!(?:不|没|沒))|[让讓]我(?!(?:解释|展示|说明))|正在|稍等|马上|馬上|(?:现在|現在)(?:查|看|调|調|执|執|开|開)",
    r"(?:調べ|お調べし|確認し|検索し|取得し|実行し|呼び出し|見てみ|探し|やってみ)(?:てみ)?(?:ます|ましょう|ています)(?!か)|겠습니다|[할볼올갈]게요|하는 중|중입니다",
    r"(?:^|\s)س[أن]|دعني|دعنا|मैं .{0,40}(?:हूँ|हूं|ूँगा|ूंगा|ूंगी)|देखता हूँ|אני (?:בודק|אבדוק|מחפש)|תן לי",
)  # fmt: skip
_CLAUSE = re.compile(r"[,;，；—–]")
"""What somebody does stands in the last part of the sentence before a call."""
_SAYING = re.compile(
    r"\b(?:says?|said|reads?|wrote|writes?|written|contains?|contained|shows?|showed|replied|replies|answered|answers|printed|emitted|sent|typed|is|was|were|are|be|been|looks?\s++like|such\s++as|follows|following)\s*+[:：]\Z",
    re.IGNORECASE,
)
"""A sentence that ends so announces words, whoever speaks."""

# ── somebody who speaks of calls ─────────────────────────────────────────────

_SHOWN = _any(
    r"\b(?:for (?:example|instance)|e\.g\.|examples?|sample (?:calls?|repl(?:y|ies)|outputs?|data|text)|syntax|notation|markup|snippets?|templates?|transcripts?|excerpts?|listings?|tutorials?|documentation|manuals?|readme|few-shot|placeholders?)\b",
    r"\blook(?:s|ed)?\s++(?:something\s++)?like\s++(?:this|so|that)\b|\bas (?:shown|follows)\b|\blike (?:this|so)\b|\b(?:the following|below|above)\b|\busage(?=\s*+:)",
    r"\bhere(?:['’]s|\s++is|\s++are|\s++was)\b|\bthis\s++(?:is|was)\s++(?:what|how|the|an?|one)\b|\bthat(?:['’]s|\s++is|\s++was)\s++(?:what|how)\b",
    r"\b(?:the|an?|our|your|that|this|another|old|other|each|every|such an?|his|her|their)\s++(?:\w++\s++)?(?:models?|assistants?|bots?|agents?|chatbots?|llms?|clients?|servers?|parsers?)\s++(?:\w++\s++)?(?:would|will|can|may|might|must|should|wr[io]tes?|sends?|sent|emits?|emitted|calls?|called|invokes?|replie[sd]|answers?|answered|says?|said|produce[sd]?|returns?|returned|outputs?|generate[sd]?|did|does|had|has|is|was|chokes?|choked|sees?|saw|failed|fails)\b",
    r"\b(?:an?|the|this|that|these|those|such|each|every|raw|expected|correct|valid|invalid|malformed|well-formed|first|second|old|original)\s++(?:(?:raw|expected|original|old|actual|final|complete|correct|whole|full|failed|model['’]?s?)\s++)*(?:call|calls|invocation|tool call|function call|output|reply|replies|response|answer|prompt|string|tag|token|format|form|shape|structure)\s++(?:reads?|is|was|are|were|of|for|that|looks?|shows?|in|from|made|has|had|would|must|should|can|begins?|starts?|ends?|contains?)\b",
    r"\b(?:is|are|was|were|be)\s++(?:written|spelled|spelt|documented|formatted|encoded|rendered)\b",
    r"\b(?:logs?|transcript|trace|history|page|e?mail|message|document|ticket|screenshot|dump|paper|article|book|chapter|spec|widget)\s++(?:shows?|showed|reads?|contains?|contained|says|said|holds?|begins?|ends?|prints?|tries)\b",
    r"\b(?:ran|called|executed|sent|made|issued|invoked|wrote|used|tried)\s++(?:this|these|the\s++following|the\s++same|that\s++(?:call|one|request))\b",
    r"\b(?:translate|consider|compare|fix|spot|find|review|explain|rewrite|correct|complete|read|take|note|imagine|suppose|assume)\s++(?:this|these|the\s++(?:following|next|text|line|reply|call|answer|output|error|bug|mistake))\b",
    r"\b(?:this|these|those|that)\s++(?:calls?|snippets?|requests?|lines?|blocks?|objects?|json|texts?|inputs?|strings?|messages?)\b",
)  # fmt: skip
"""Words for an example, for somebody else's words, and for calls as such."""
_SHOWN_ELSEWHERE = _any(
    r"beispiel|z\. ?b\.|syntax|vorlage|s(?:ieht|ähe)\b.{0,40}\baus|\baus(?:sehen|sähe)|\baufruf|\b(?:das|der|ein|jedes|unser|dein|ihr) (?:\w+ )?(?:modell|bot|assistent|agent)\b|folgende[rsmn]?\b|\bdiese[rnms]? (?:anfrage|zeile|text)|gestern|\bunten\b",
    r"ejemplo|p\. ?ej\.|sintaxis|\b(?:el|un) (?:modelo|asistente|agente|bot)\b|siguiente|\bllamadas?\b|\best[ae] (?:texto|línea)|\bayer\b",
    r"exemple|par ex\.|syntaxe|\b(?:le|un) (?:modèle|assistant|bot)\b|\bvoici\b|ci-dessous|suivant|\bvoilà\b|\bressembl|\bappels?\b|\bhier\b",
    r"exemplo|sintaxe|\bo (?:modelo|assistente|bot)\b|seguinte|\bchamadas?\b|\bchiamat[ae]\b|esempio|sintassi|\bil (?:modello|bot)\b|\becco\b|seguente",
    r"voorbeeld|eruit\w* zien|\b(?:het|de) (?:model|bot|assistent)\b|\bvolgende\b|\baanroep|\bwywołani|przykład|składni|następując|wygląda",
    r"пример|синтаксис|приклад|\bмодель\b|\bбот\b|следующ|\bвызов|вот (?:так|что|как)",
    r"\b(?:ejercicio|exercice|exercício|esercizio|übung|aufgabe|oefening|ćwiczenie)\b|упражнен|练习|練習|問題\s?[0-9]|문제\s?[0-9]|\b(?:err(?:or|eur|ore)|fehler|erro|fout|błąd)\b|ошибк|错误|錯誤|間違|오류|журнал|日志|ログ|로그",
    r"örne[kğ]|ví dụ|contoh|παράδειγμα|příklad|exempel|eksempel|esimerk|példa|exemplu|مثال|דוגמה|उदाहरण|ตัวอย่าง",
    r"例如|示例|举例|舉例|例子|例[:：はの]|比如|用例|格式(?:如下|为|為|是|[:：])|语法|語法|以下|如下|(?:这个|這個|该|該|此|上述)调用|模型|机器人|日志(?:内容|显示)|(?:写|寫)(?:着|著|道)|(?:回答|回复|回覆|答案|输出)(?:是|为|如|了)|例えば|たとえば|構文|書式|呼び出しの|次の(?:とおり|ように|呼び出し|出力|例)|モデル|書かれて|と(?:答え|書い|言っ)(?:た|て|まし)",
    r"예시|예를 들|예[:：]|문법|다음과 같|모델|호출",
)  # fmt: skip
"""The same in other languages."""

_TOLD = re.compile(
    r"\b(?:was|were|had|did|woke|wrote|said|went|came|took|got|sent|made|saw|told|gave|began|ran|spoke|found|read\s++(?:it|this|that|them|aloud)|[a-z]{3,}ed)\b",
    re.IGNORECASE,
)
"""What has happened: a story goes on, nothing is done."""
_TOLD_ELSEWHERE = _any(
    r"\b(?:I\s++(?:was|would|did)|I['’]d)\b|\b(?:told|asked)\s++(?:me|us)\b|\b(?:habe|hat|hatte|haben|würde|gestern|früher)\b|\b(?:[jl]['’]ai|m['’]a|a envoyé|hier)\b|\b(?:ayer|envió|hice)\b|昨天|已经|已經|昨日|ました|어제|вчера|прислал",
)  # fmt: skip
"""The same by whoever speaks, of himself and in other languages."""
_ADDRESSES = _any(
    r"\b(?:I|me|my|we|us|our|you|your|let['’]s)\b|['’](?:ll|m|ve)\b|\b(?:will|shall|may|might|should|going\s++to|soon|shortly|meanwhile|please\s++wait|stand\s++by|hold\s++on|one\s++moment|back\s++in|in\s++a\s++(?:moment|second|minute|bit))\b|!\s*+\Z",
    r"\b(?:ich|wir|mich|mir|uns|du|dir|dich|sie|ihnen|ihr|moment|augenblick|gleich)\b|\b(?:je|nous|vous|tu|te|moi|instant)\b|\bj['’]|\b(?:yo|tú|usted|nos|te|me|veamos|momento|aviso|digo)\b|\b(?:eu|você|vocês|nós|lhe)\b|\b(?:io|noi|mi|ti|vi|attimo|avviso|vediamo|dico)\b|\b(?:ik|jij|je|wij|we|jullie)\b",
    r"\b(?:я|мы|вы|ты|вам|вас|мне|тебе|посмотрим|минут\w*|скажу|сообщу|будет)\b|[我你您请請]|稍等|(?<!やめておき)ます|ください|ましょう|겠|습니다|세요|\b(?:saya|anda|kita|tôi|bạn|jag|dig|jeg|deg|ja|ci|ben|sana|size)\b|سأ|لك|मैं|आप",
)  # fmt: skip
"""Words of somebody who speaks to the reader, or of what comes next."""

# ── somebody who does not act, or not yet ────────────────────────────────────

_ACTS = r"(?:r[au]n|execut(?:e|ed|ing)|call(?:ed|ing)?|invok(?:ed?|ing)|perform(?:ed)?|issued?|trigger(?:ed)?|carry|comply|do(?:ing)?|writ(?:e|ten|ing)|sen[dt]|submit(?:ted)?|(?:make|made|send|sent)\s++(?:\w++\s++){0,3}?(?:calls?|requests?)|go\s++ahead|proceed(?:ed)?)"
_DECLINED = re.compile(
    rf"\b(?:I|we)(?:\s++(?:will|can|must|should|would|do|did|have)\s++(?:not|never)|(?:['’]m|['’]re|\s++am|\s++are)\s++not\s++(?:going|willing|allowed|able)\s++to"
    rf"|['’]ll\s++(?:not|never)|['’]ve\s++(?:not|never)|\s++cannot|\s++(?:wo|ca|must|should|would|do|did|have)n?['’]t|\s++(?:refused?|declined?)\s++to|\s++never)"
    rf"\s++(?:\w++\s++){{0,2}}?{_ACTS}\b|\b(?:I|we)(?:['’]m|['’]re|\s++am|\s++are)\s++not\s++\w+ing\b"
    r"|\b(?:must|should|may|can|shall|could|would|ought)(?:n['’]t|\s++not|\s++never)\s++(?:\w++\s++){0,2}?(?:be\b|run|call|send|execute|invoke|use|write|do\b)"
    r"|(?:\A|[.!,;:(]\s*+|\bplease\s++)(?:do\s++not|don['’]t|never|not\s++to)\s++(?:\w++\s++){0,2}?(?:run|call|send|execute|invoke|use|write|do|answer|copy|try|act|follow|paste|make)\b"
    r"|\b(?:won['’]t|will\s++not|can['’]t|cannot)\b\s*+(?:[,.;!—]|because\b|\Z)"
    r"|(?:\A\W*+|\b(?:was|were|is|are|been|being|it|as)\s++)(?:not|never)\s++(?:\w++\s++)?(?:run|executed|sent|called|made|real|meant|needed|a\s++(?:real\s++)?call)\b",
    re.IGNORECASE,
)
"""Words of somebody who does not make the call, or says that nobody should."""
_DECLINED_ELSEWHERE = _any(
    r"\bnoch nicht\b|\bpas encore\b|\b(?:todavía|aún) no\b|\bainda não\b|\bnon ancora\b|\bnog niet\b|\bjeszcze n|\bещ[её] не\b|还没|還沒|尚未|아직",
    r"\bnicht\b.{0,30}\b(?:ausführ|ausgeführt|aufruf|aufgerufen|send|gesendet|auf\b)|\b(?:führe|rufe|starte|sende)\b.{0,30}\bnicht\b|\b(?:darf|soll|sollte|sollten|solltest|dürfen|keinen fall)\b.{0,40}\b(?:nie|niemals|nicht|man)\b|\bniemals\b",
    r"\b(?:no|nunca|jamás)\b.{0,20}\b(?:ejecut|llam(?:o|ar|aré|es)|invoc|envi|he hecho|la he)",
    r"\bn[e'’]\s?[^,;]{0,30}\b(?:pas|jamais)\b[^,;]{0,20}(?:exécut|appel|lanc|envoy|fai)|\bn[e'’](?:\s?)(?:exécut|appell|lanc|envoy)\w*\s+(?:pas|jamais)\b|\bne (?:l['’])?(?:ai|faut|doit|devez) (?:pas|jamais)|\bl['’]ai pas\b",
    r"\b(?:não|nunca)\b.{0,20}\b(?:execut|cham|envi)|\b(?:non|mai)\b.{0,20}\b(?:esegu|chiam|invi)|\bniet\b.{0,30}\b(?:uitvoer|uitgevoerd|aanroep|verzend)|\bnie\b.{0,20}\b(?:uruch|wywoł|wykon|wysy)|\bniczego nie\b",
    r"\bне\b.{0,20}(?:выполн|вызыв|вызов|запуск|запущ|отправ)|\bникогда\b",
    r"(?:[不没沒]|(?:请|請)?勿|别|別|未)(?:会|會|能|要|应|應|该|該|想|有|得|再|可|曾)*(?:去)?(?:执行|執行|调用|調用|运行|運行|呼叫|发送)|(?:実行|呼び出し|呼出|送信)(?:しません|しない|できません|は行いません|していません|しないで)|(?:실행|호출)하지\s?(?:않|마|말)",
)  # fmt: skip
"""The same in other languages, as far as one sentence says it."""
_CONDITION = _any(
    r"\b(?:if|once|when|unless|until|after|before) (?:you|I) (?:have |had |get |got )?(?:confirm(?:ed)?|agreed?|approved?|allow(?:ed)?|want|wish|like|say|tell|let|permission|approval|your)\b",
    r"\A\W*+not\s++yet\b|\b(?:please )?confirm\b|\byour (?:consent|go-ahead|okay|ok)\b|てから(?:実行|送信|呼)|\bif I (?:had|were|could)\b",
    r"\b(?:must|needs? to|has to|have to|should|may|can) (?:first )?(?:approve|confirm|agree|allow|consent|sign off)\b",
    r"(?:\b(?:your|tu|su|sua|votre|vos|ton|ihre[rnm]?|deine[rnm]?|tua|vostra|je|jouw|uw|twoj\w*|ваш\w*|тво\w*)\s++|您的|你的|ご)(?:\w++\s++)?(?:confirm|bestätig|conferm|bevestig|potwierdz|подтвержд|确认|確認|approv|freigab|zustimm|aprob|permis|erlaub|toestemm|соглас|同意|承認|許可)",
    r"\b(?:falls|wenn|sobald) (?:sie|du|ihr)\b|\bsi (?:vous|tu|quieres|usted|confirm)|\bse (?:você|quiser|vuoi|confermi)|\bесли (?:вы|ты)|如果(?:您|你)(?:同意|确认|確認|想)|(?:确认|確認|同意)后|よろしければ",
)  # fmt: skip
"""Words of somebody who would make the call, if the reader said so."""

# ── somebody who takes a call back ───────────────────────────────────────────

_BACK = _any(
    r"\b(?:say\s++the\s++word|tell\s++me\s++(?:if|whether)\s++(?:I|it|this|that\s++(?:is|works))|will\s++leave\s++(?:it|that|this)|start\s++over|correct\s++(?:that|this|it)|fix\s++(?:that|this)\s++call|got\s++ahead\s++of|nothing\s++else\s++is)\b|\bquote\b",
    r"\bI\s++(?:left|ignored|skipped|dropped)\b|\bno\s++need\s++for\b|\bhang\s++on\b|\bhope\s++(?:that|this)\s++helps\b|\b(?:paste|copy|replace|adapt|adjust|insert|type|approve)\s++(?:it|this|that|these|the|\w++\s++(?:with|by)\b)|\bplease\s++approve\b|\breply\b[^.]{0,20}\bto\s++(?:run|send|confirm)|\bnot\s++following\b",
    r"\b(?:ignore|disregard|forget|scratch|cancel|undo|discard|skip|drop|retract|withdraw|strike|revert|abort|void|nix|delete|remove|omit)\s++(?:that|this|it|these|those|them|the\s++(?:above|call|last|previous|first|request)|my|both|all|what)\b",
    r"\bnever\s*+mind\b|\bon\s++(?:second|further)\s++thoughts?\b|\bon\s++reflection\b|\bmy\s++(?:mistake|bad|error|apologies)\b|\bcorrection\b|\bI\s++(?:misread|misspoke|mistyped|take\s++(?:that|it)\s++back|changed\s++my\s++mind|was\s++wrong|made\s++(?:a|an)\s++(?:\w++\s++)?(?:mistake|error|typo)|didn['’]t\s++mean|did\s++not\s++mean|meant|shouldn['’]t\s++have)\b",
    r"(?:\A\W*+|[.!?]\s++)(?:oops|whoops|ups|sorry|apologies|pardon|wait|no,|hmm|hm|hold\s++on|stop|actually,?\s++(?:no|not|wait|that|this|scratch|I\s++(?:don|do\s++not|won|should|meant|need\s++not)|the)|argh|damn|strike\s++that)\b",
    r"(?<!if )\b(?:that|this|it|these|those|the\s++(?:above|call|path|city|file|name|arguments?))\s++(?:is|was|were|are|isn['’]t|wasn['’]t|looks?)\s++(?:\w++\s++){0,2}?(?:wrong|incorrect|mistaken|bad|a\s++(?:mistake|typo|slip|joke|test|lie)|an\s++(?:error|accident|example)|not|right|needed|necessary|unnecessary|invalid|obsolete)\b",
    r"\b(?:that|this)\s++(?:isn['’]t|wasn['’]t)\b|\bwrong\s++(?:path|file|city|tool|name|place|one|call|argument|id|folder|way|date|number|target|user|room|branch)\b|\b(?:no\s++longer|not|isn['’]t|aren['’]t)\s++(?:\w++\s++)?(?:needed|necessary|required)\b|\bdon['’]t\s++(?:need|want)\s++(?:it|this|that)\b|\btreat\s++\w++\s++as\s++not\b|\bas\s++not\s++made\b|\bjust\s++kidding\b",
)  # fmt: skip
_BACK_ELSEWHERE = _any(
    r"\b(?:vergiss|vergesst|vergessen sie|ignorier\w*|streich\w*|falsche[rsnm]?|stimmt\b[^.]{0,20}\bnicht|lieber doch|irrtum|versehen|entschuldigung|verzeihung|sorry|doch nicht|fehler|stopp|zurück|lasse ich lieber|sag bescheid,? ob)\b|\bmoment,|\bhalt,|\bnein,",
    r"\b(?:olvid[ae]|ignor[ae]|perdón|perdona|disculp\w+|equivoqu\w+|error|retiro|dime si|cancela|descarta|espera)\b|\bno, ",
    r"\b(?:oublie[zr]?|ignore[zr]?|pardon|désolée?|erreur|retire|dis-moi si|dites-moi si|annule[zr]?|attend[sez]+|trompée?)\b|n['’]était pas|\bnon,|\bje n[e'’][^,;.]{0,25}\b(?:pas|rien)\b|\bich\b[^,;.]{0,40}\bnichts?\b",
    r"\b(?:esqueç?[ae]|ignore|desculpe|erro|cancele|espere)\b|\b(?:dimentica|ignora|scusa|scusate|errore|annulla|aspetta)\b|\b(?:vergeet|negeer|sorry|fout|wacht)\b|\b(?:zapomnij|zignoruj|przepraszam|pomyłka|błąd|anuluj)\b",
    r"забуд|игнорир|извин|ошиб|отмен|подожд|\bстоп\b|не то\b",
    r"忽略|不对|不對|不用|不必|抱歉|对不起|對不起|弄错|错了|錯了|搞错|取消|算了|等等|作废|是否|てよいか|無視|すみません|間違|取り消し|やっぱり|やはり|やめて|待って|무시|죄송|잘못|취소|잠깐",
    r"تجاهل|عذر|آسف|خطأ|ألغ|क्षमा|माफ|गलत|रद्द|abaikan|maaf|bỏ qua|xin lỗi|unut|yanlış|özür|iptal|glöm|ursäkta|fel\b|undskyld|glem|beklager",
)  # fmt: skip

# ── after a call ─────────────────────────────────────────────────────────────

_LEAVE = _any(
    r"\b(?:should|shall|may|can|could|do\s++you\s++want|would\s++you\s++(?:like|want))\s++(?:me|I|we)(?:\s++to)?\s++(?:\w++\s++)?(?:run|execute|call|send|do|make|proceed|go\s++ahead|submit|start|continue|perform|apply)\b(?![^.?!]*\b(?:also|afterwards|next|as\s++well|too|else)\b)",
    r"\b(?:ok(?:ay)?|all\s++right|alright|fine|good)\s++(?:to\s++(?:run|send|go|proceed)|with\s++you|for\s++you)\b|\b(?:is|does|are)\s++(?:this|that|it)\b[^.?!]{0,60}[?？]|\bgo\s++ahead\s*+[?？]|\bproceed\s*+[?？]|\blet\s++me\s++know\s++(?:if|whether|when)\s++(?:I|this|that|you\s++want\s++me|it)\b[^.]{0,30}\b(?:run|execute|should|okay|ok|right|correct|proceed|send)",
    r"\b(?:soll|darf|kann) ich\b[^.?!]{0,60}[?？]|\b(?:dois|puis|peux)-je\b|\b(?:voulez-vous|veux-tu) que\b|¿?\b(?:quieres|desea|debo|puedo)\b[^.!]{0,40}[?？]|\b(?:posso|devo|vuoi che|quer que)\b[^.!]{0,40}[?？]|\b(?:zal|mag|moet) ik\b[^.!]{0,40}[?？]|\bczy mam\b|(?:выполнить|запустить|мне сделать)[^.!]{0,40}[?？]|(?:要|需要|可以)(?:我)?[^。]{0,20}(?:执行|執行|调用|運行|运行)[^。]{0,10}吗|(?:実行|送信)して(?:も)?(?:よろしい|いい|良い)|할까요|될까요",
)  # fmt: skip
"""Words of somebody who asks whether the call should be made."""
_MORE = _any(
    r"\b(?:else|also|more|other|others|another|meantime|meanwhile|afterwards|then|next|too|as\s++well|while\s++we)\b|\b(?:noch|sonst|außerdem|danach)\b|\b(?:autre|aussi|encore|ensuite)\b|\b(?:más|otra|otro|algo|también)\b|\b(?:mais|outra|outro|também|altro|anche)\b|ещ[её]|друг|还|還|其他|另外|他に|ほか|또|다른",
)  # fmt: skip
"""Words of a question for something else."""
_SPOKEN_OF = _any(
    r"\bsee below\b|\bremoved\b",
    r"\b(?:the|this|that|these|those|such|each)\s++(?:(?:above|first|second|raw|whole|next|last)\s++)*(?:call|calls|snippet|syntax|format|example|examples|tag|tags|markup|notation|block|line|lines|object|json|string|marker|token|reply|replies|output|listing|template)\b",
    r"\babove\b|\bexamples?\b|\bsyntax\b|\bsnippet\b",
    r"(?:\A|[.!?]\s++)\W*+(?:that|this|it|so|these|those)(?:['’]s|\s++(?:is|was|were|are|would\s++be))\s++(?:what|how|why|where|the|an?|one|only|just|all|from|not|wrong|correct|invalid|valid)\b",
    r"(?:\A|[.!?]\s++)\W*+(?:why|what|which|who|how|where)\b[^.!]{0,60}\b(?:this|that|it|here|wrong|happens?|next)\b[^.!]{0,30}[?？]",
    r"\bnothing\s++(?:has\s++been|was|is|happens|will\s++be)\b|\b(?:can|could)\s++(?:some|any)one\b|\byou\s++(?:can|could|should|must|may|might|need\s++to)\s++(?:now\s++|then\s++|also\s++)?(?:see|adapt|copy|paste|replace|use|send|write|call|run|try|change|notice)\b|\bas\s++you\s++can\s++see\b|\bnote\s++(?:that|how|the)\b",
    r"\b(?:second|first|third|last|other)\s++(?:value|argument|parameter|field|key|attribute)\b|\b(?:the|no|an?|its)\s++(?:closing|opening|argument|parameter|field|key|attribute)s?\b|\bof this kind\b",
)  # fmt: skip
"""Words about a call that has just been shown."""


def acts(sentence: str) -> bool:
    """Whether somebody says here what they do next."""
    if _SAYING.search(sentence) is not None:
        return False
    if _WILL.search(sentence) is not None or _READY.match(sentence) is not None:
        return True
    clause = _CLAUSE.split(sentence.rstrip())[-1]
    for part in (sentence, clause):
        if _DOING.match(part) is not None:
            return _FINITE.search(part) is None and _SHOWN.search(part) is None
    shown = _SHOWN_ELSEWHERE.search(clause)
    return shown is None and _WILL_ELSEWHERE.search(clause) is not None


def shows(sentence: str) -> bool:
    """Whether the sentence announces an example, somebody's words, or a call as such."""
    return bool(_SHOWN.search(sentence) or _SHOWN_ELSEWHERE.search(sentence))


def declines(sentence: str) -> bool:
    """Whether the sentence says that a call is not made, or not yet."""
    if _CONDITION.search(sentence) is not None:
        return True
    said = _DECLINED.search(sentence) or _DECLINED_ELSEWHERE.search(sentence)
    return said is not None and not acts(sentence[said.end() :])


def takes_back(sentence: str) -> bool:
    """Whether the sentence after a call says that it shall not be made, or not be made yet."""
    if _BACK.search(sentence) or _BACK_ELSEWHERE.search(sentence) or _LEAVE.search(sentence):
        return True
    return _MORE.search(sentence) is None and declines(sentence)


def tells(sentence: str) -> bool:
    """Whether the sentence goes on with a story: what has happened, to nobody in the talk."""
    if _TOLD_ELSEWHERE.search(sentence) is not None:
        return _READY.match(sentence) is None
    return _TOLD.search(sentence) is not None and _ADDRESSES.search(sentence) is None


def talks(sentence: str) -> bool:
    """Whether the sentence belongs to a talk with the reader: an answer, a need, what comes next."""
    return _TALKS.search(sentence) is not None


def addresses(sentence: str) -> bool:
    """Whether somebody speaks to the reader here, or of what comes next."""
    return any(words.search(sentence) for words in (_ADDRESSES, _MORE)) or acts(sentence)


def asks_back(sentence: str) -> bool:
    """Whether the sentence asks about what was just written, and not for something else."""
    return sentence.rstrip("\"'”’)* ")[-1:] in ("?", "？") and _MORE.search(sentence) is None


def speaks_of(sentence: str) -> bool:
    """Whether the sentence after a call speaks of it as of a text."""
    if _WILL.search(sentence) is not None:
        return False
    return bool(_SPOKEN_OF.search(sentence) or _SHOWN_ELSEWHERE.search(sentence))
