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
    r"|hold on|thanks|thank you|please|now|well|so|hm+|ah|oh|hello|hi|hey|welcome|cool|nice|noted|ready|sounds good|you got it|consider it done|here (?:we go|it is)|as you wish|coming right up|here goes|good|interesting|sorry|my apologies|you['’]re (?:right|welcome)|natürlich|klar|gerne?|verstanden|alles klar|bien sûr|d['’]accord|entendu|claro|por supuesto|entendido|certo|va bene|perfeito|certamente|natuurlijk|jasne"
    r"|конечно|хорошо|сейчас|понял[аи]?|好的|当然|稍等|明白了?|没问题|了解|はい|承知しました|かしこまりました|少々お待ちください|네|알겠습니다|tabii|baik|javisst|moment|een moment|un momento|um momento|un instant|بالتأكيد|ज़रूर)"
)
_READY = re.compile(rf"\W*+(?:{_WELCOME}[\W_]*+)++\Z", re.IGNORECASE)
"""Nothing but a word that says that it will be done."""
_WILL_ELSEWHERE = _any(
    r"\b(?:ich|wir)\b(?![^.]{0,60}\b(?:nicht|nie|niemals|kein)\b)(?! (?:habe|hatte|würde|könnte|hätte|zeige|erkläre|zitiere))(?<!habe ich)(?<!hatte ich)(?<!würde ich)(?<!könnte ich)|\blass(?:t|en sie)? (?:mich|uns)\b",
    r"\b(?:je (?!n['e]|(?:\w+ )?[ltv]['’]a)|j['’](?!ai|avais|aurais))(?!(?:pourrais|voudrais|montre|cite|vous montre|t['e]))|\b(?:laisse|laissez|permettez|permets)[- ]moi\b|\bvoyons\b|\b(?:nous )?allons\b",
    r"\b(?:voy|vamos) a(?!\s++(?:mostrar|explicar|citar))\b|\b(?:déj[ae]me|permítame|permíteme|estoy \w+ndo|procedo|consulto|busco|reviso|compruebo|ejecuto|llamo|miro)\b",
    r"\bvou(?!\s++(?:mostrar|explicar|citar))\b|\b(?:deixe-me|deixa-me|permita-me|estou \w+ndo|estou a|consulto|verifico|procuro)\b",
    r"\b(?:controllo|cerco|verifico|vado a|lasciami|fammi|mi lasci|sto \w+ndo|procedo|eseguo|chiamo|faccio)\b",
    r"\b(?:ik(?! (?:heb|had|zou|kan niet))(?![^.]{0,40}\bniet\b)|laat (?:me|mij|ons))\b|\b(?:jag(?! (?:har|hade|skulle))|jeg(?! (?:har|havde|hadde|ville))|låt mig|lad mig|la meg)\b",
    r"сейчас|давайте|\bя (?:сделаю|посмотрю|проверю|вызову|найду|узнаю|запрошу|поищу|проверяю|вызываю|ищу|выполню)|\b(?:посмотрю|проверю|вызову|найду|узнаю|запрошу|поищу|проверяю|вызываю|выполню|ищу)\b|\b\w{2,}(?:аю|яю|ую|лю)\b|зараз|перевірю|подивлюся",
    r"\b(?:sprawdzę|sprawdzam|zobaczę|zaraz|pozwól|szukam|wywołuję|wywołam|poszukam|uruchamiam|\w{2,}(?:ę|uję|iam))\b|\b(?:podívám|zkontroluji|zjistím|ověřím|spouštím)\b",
    r"\w(?:[ıiuü]yorum|[ae]ca[ğg][ıi]m|ece[ğg]im|[ae]y[ıi]m)\b|\b(?:saya akan|mari kita|biar saya|tôi sẽ|để tôi|tarkistan|katson|haen)\b",
    r"我(?:们|們)?(?:现在|現在|这就|這就|马上|馬上|先|就|再)*(?:来|來|会|會|将|將|去|要|需要|帮|幫|查|看|调用|調用|执行|執行|使用|正在)(?!(?:不|没|沒))|[让讓]我(?!(?:解释|展示|说明))|正在|稍等|马上|馬上|(?:现在|現在)(?:查|看|调|調|执|執|开|開)",
    r"(?:調べ|お調べし|確認し|検索し|取得し|実行し|呼び出し|見てみ|探し|やってみ)(?:てみ)?(?:ます|ましょう|ています)(?!か)|겠습니다|[할볼올갈]게요|하는 중|중입니다",
    r"(?:^|\s)س[أن]|دعني|دعنا|मैं .{0,40}(?:हूँ|हूं|ूँगा|ूंगा|ूंगी)|देखता हूँ|אני (?:בודק|אבדוק|מחפש)|תן לי",
)  # fmt: skip
_CLAUSE = re.compile(r"[,;，；—–]")
"""What somebody does stands in the last part of the sentence before a call."""
_ANNOUNCED = re.compile(
    r"\b(?:here\s++goes|therefore)\W*+\Z|\bhere(?:['’]s|\s++is|\s++are|\s++comes?)\s++(?:(?:the|my)\s++)?(?:\w++\s++)?(?:(?:tool|function)\s++)?calls?(?:\s++to\b[^:]*+)?\s*+[:：]?\Z"
    r"|\A\W*+(?:now|next|new|first|second|third|finally|only\s++this|step\s++[0-9]+\s++of\s++[0-9]+|this\s++is\s++the\s++(?:right|real|correct)\s++one)(?:\s++\w++){0,3}[\s*_]*+[:：]\W*+\Z"
    r"|\A\W*+(?:(?:and\s++)?then|first|second|third|next|finally|after\s++that|(?:(?:now|and)\s++)?the\s++(?:tool|call))\W*+\Z",
    re.IGNORECASE,
)
"""A line that announces the call itself, or the next step."""
_SAYING = re.compile(
    r"\b(?:says?|said|reads?|wrote|writes?|written|contains?|contained|shows?|showed|replied|replies|answered|answers|printed|emitted|sent|typed|is|was|were|are|be|been|looks?\s++like|such\s++as|follows|following)\s*+[:：]\Z",
    re.IGNORECASE,
)
"""A sentence that ends so announces words, whoever speaks."""

# ── somebody who speaks of calls ─────────────────────────────────────────────

_SHOWN = _any(
    r"\b(?:for (?:example|instance)|e\.g\.|examples?|sample (?:calls?|repl(?:y|ies)|outputs?|data|text)|syntax|notation|markup|snippets?|templates?|transcripts?|excerpts?|listings?|tutorials?|documentation|manuals?|readme|few-shot|placeholders?|verbatim|(?:figure|listing|table)\s++[0-9]++)\b",
    r"\blook(?:s|ed)?\s++(?:something\s++)?like\s++(?:this|so|that)\b|\bas (?:shown|follows)\b|\blike (?:this|so)\b|\bthe following (?:request|reply|output|text|message|response|answer)\b|\busage(?=\s*+:)",
    r"\bhere(?:['’]s|\s++is)\s++(?:how|what|an?)\b|\bth(?:is|at)(?:['’]s|\s++is|\s++was)\s++(?:what|how)\b",
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
    r"beispiel|z\. ?b\.|syntax|vorlage|s(?:ieht|ähe)\b.{0,40}\baus|\baus(?:sehen|sähe)|\b(?:das|der|ein|jedes|unser|dein|ihr) (?:\w+ )?(?:modell|bot|assistent|agent)\b|\bdiese[rnms]? (?:anfrage|zeile|text)",
    r"ejemplo|p\. ?ej\.|sintaxis|\b(?:el|un) (?:modelo|asistente|agente|bot)\b|\best[ae] (?:texto|línea)",
    r"exemple|par ex\.|syntaxe|\b(?:le|un|du|d['’]un) (?:modèle|assistant|bot)\b|ci-dessous|\bressembl",
    r"exemplo|sintaxe|\bo (?:modelo|assistente|bot)\b|esempio|sintassi|\bil (?:modello|bot)\b",
    r"voorbeeld|eruit\w* zien|\b(?:het|de) (?:model|bot|assistent)\b|przykład|składni|wygląda",
    r"пример|синтаксис|приклад|\bмодель\b|\bбот\b|вот (?:так|что|как)",
    r"örne[kğ]|ví dụ|contoh|παράδειγμα|příklad|exempel|eksempel|esimerk|példa|exemplu|مثال|דוגמה|उदाहरण|ตัวอย่าง",
    r"例如|示例|举例|舉例|例子|例[:：はの]|比如|用例|格式(?:如下|为|為|是|[:：])|语法|語法|以下|如下|(?:这个|這個|该|該|此|上述)调用|模型|机器人|日志(?:内容|显示)|(?:写|寫)(?:着|著|道)|(?:回答|回复|回覆|答案|输出)(?:是|为|如|了)|例えば|たとえば|構文|書式|次の(?:とおり|ように|呼び出し|出力|例)|モデル|書かれて|と(?:答え|書い|言っ)(?:た|て|まし)",
    r"예시|예를 들|예[:：]|문법|다음과 같|모델",
)  # fmt: skip
"""The same in other languages."""

# ── somebody who does not act, or not yet ────────────────────────────────────

_ACTS = r"(?:r[au]n|execut(?:e|ed|ing)|call(?:ed|ing)?|invok(?:ed?|ing)|perform(?:ed)?|issued?|trigger(?:ed)?|carry|comply|do(?:ing)?|writ(?:e|ten|ing)|sen[dt]|submit(?:ted)?|(?:make|made|send|sent)\s++(?:\w++\s++){0,3}?(?:calls?|requests?)|go\s++ahead|proceed(?:ed)?)"
_DECLINED = re.compile(
    rf"\b(?:I|we)(?:\s++(?:will|can|must|should|would|do|did|have)\s++(?:not|never)|(?:['’]m|['’]re|\s++am|\s++are)\s++not\s++(?:going|willing|allowed|able)\s++to"
    rf"|['’]ll\s++(?:not|never)|['’]ve\s++(?:not|never)|\s++cannot|\s++(?:wo|ca|must|should|would|do|did|have)n?['’]t|\s++(?:refused?|declined?)\s++to|\s++never)"
    rf"\s++(?:\w++\s++){{0,2}}?{_ACTS}\b"
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
    r"\b(?:no|nunca|jamás)\b[^,;.]{0,20}\b(?:ejecut|llam(?:o|ar|aré|es)|invoc|envi|he hecho|la he)",
    r"\bn[e'’]\s?[^,;]{0,30}\b(?:pas|jamais)\b[^,;]{0,20}(?:exécut|appel|lanc|envoy|fai)|\bn[e'’](?:\s?)(?:exécut|appell|lanc|envoy)\w*\s+(?:pas|jamais)\b|\bne (?:l['’])?(?:ai|faut|doit|devez) (?:pas|jamais)|\bl['’]ai pas\b",
    r"\b(?:não|nunca)\b[^,;.]{0,20}\b(?:execut|cham|envi)|\b(?:non|mai)\b[^,;.]{0,20}\b(?:esegu|chiam|invi|scriv)|\bniet\b.{0,30}\b(?:uitvoer|uitgevoerd|aanroep|verzend)|\bnie\b[^,;.]{0,20}\b(?:uruch|wywoł|wykon|wysy)|\bniczego nie\b",
    r"\bне\b[^,;.]{0,20}(?:выполн|вызыв|вызов|запуск|запущ|отправ)|\bникогда\b",
    r"(?:[不没沒]|(?:请|請)?勿|别|別|未)(?:会|會|能|要|应|應|该|該|想|有|得|再|可|曾)*(?:去)?(?:执行|執行|调用|調用|运行|運行|呼叫|发送)|(?:実行|呼び出し|呼出|送信)(?:しません|しない|できません|は行いません|していません|しないで)|(?:실행|호출)하지\s?(?:않|마|말)",
)  # fmt: skip
"""The same in other languages, as far as one sentence says it."""
_APPROVAL = _any(
    r"(?<!not )(?<!['’]t )\b(?:must|needs?\s++to|has\s++to|have\s++to|should)\s++(?:first\s++)?(?:approve|confirm|agree|consent|sign\s++off)\b|\bdo\s++you\s++approve\b|\buntil\s++you\s++(?:say|tell|confirm|agree)\b",
    r"\b(?:wait\w*|await\w*|pending|until|once|before|after|warte|bevor|nach|attends|avant|après|espero|antes|aguardo|attendo|prima|wacht|czekam|жду|после)\b[^.!?]{0,40}(?:confirm|bestätig|conferm|bevestig|potwierdz|подтвержд|approv|freigab|zustimm|aprob|permis|erlaub|toestemm|соглас|review)",
    r"(?:确认|確認|同意)[^。]{0,4}(?:后|後)|(?:確認|承認)[^。]{0,8}てから|확인해 주시면",
)  # fmt: skip
"""Words of somebody who waits for a yes."""
_BUT = re.compile(r"\b(?:but|aber|mais|pero|mas|ma|maar|ale|но)\b|但|でも|지만", re.IGNORECASE)
"""After what is not done, something that is."""
_CONDITION = _any(
    r"\b(?:if|once|when|unless|until|after|before) (?:you|I) (?:have |had |get |got )?(?:confirm(?:ed)?|agreed?|approved?|allow(?:ed)?|want|wish|like|say|tell|let|permission|approval|your)\b",
    r"\A\W*+not\s++yet\b|\b(?:please )?confirm\b|\byour (?:consent|go-ahead|okay|ok)\b|\bif I (?:had|were|could)\b",
    r"\b(?:falls|wenn|sobald) (?:sie|du|ihr)\b|\bsi (?:vous|tu|quieres|usted|confirm)|\bse (?:você|quiser|vuoi|confermi)|\bесли (?:вы|ты)|如果(?:您|你)(?:同意|确认|確認|想)|(?:确认|確認|同意)后|よろしければ",
)  # fmt: skip
"""Words of somebody who would make the call, if the reader said so."""

# ── somebody who takes a call back ───────────────────────────────────────────

_BACK = _any(
    r"\b(?:ignore|disregard|forget|scratch|cancel|undo|discard|retract|withdraw|strike|revert|abort|void)\s++(?:that|this|it|these|those|them|the\s++(?:above|call|last|previous|first|request)|my|both)\b",
    r"\bnever\s*+mind\b(?!\s++(?:the\s++(?!call)|my|about))|\bon\s++(?:second|further)\s++thoughts?\b|\bon\s++reflection\b|\bI\s++(?:misread|misspoke|mistyped|take\s++(?:that|it)\s++back|changed\s++my\s++mind|made\s++(?:a|an)\s++(?:\w++\s++)?(?:mistake|error|typo)|didn['’]t\s++mean|did\s++not\s++mean|shouldn['’]t\s++have)\b",
    r"(?:\A\W*+|[.!?]\s++)(?:oops|whoops|my\s++(?:mistake|bad)|(?:no|wait|hold\s++on|stop),|actually,?\s++(?:no|not|wait|scratch|I\s++(?:don|do\s++not|won|should|meant|need\s++not)))",
    r"\b(?:that|this|it|the\s++(?:above|call|path|city|file|name|arguments?))\s++(?:is|was)\s++(?:\w++\s++)?(?:wrong|incorrect|mistaken|a\s++(?:mistake|typo|slip|joke|test)|an\s++(?:error|accident)|not\s++(?:right|needed|necessary|meant))\b",
    r"\bwrong\s++(?:path|file|city|tool|name|place|one|call|argument|id|folder|date|number|target|user|room|branch)\b|\bno\s++longer\s++(?:needed|necessary)\b|\bjust\s++kidding\b",
)  # fmt: skip
_BACK_ELSEWHERE = _any(
    r"\b(?:vergiss|vergesst|vergessen sie|ignorier\w*|streich\w*) (?:das|es|den|die|bitte)\b|\b(?:falsche[rsn]?) (?:ort|datei|pfad|stadt|aufruf)|\bdoch nicht\b|\bdas war (?:falsch|ein (?:fehler|irrtum|versehen))",
    r"\b(?:olvíd[ae]lo|ignór[ae]lo|(?:olvid[ae]|ignor[ae]|cancela|descarta) (?:eso|esto|lo|la|es[ae]|est[ae]))\b|\bme equivoqu\w+|\b(?:oublie[zr]?|ignore[zr]?|annule[zr]?) (?:ça|cela|cet|tout)|\bje me suis trompée?\b|\bfinalement non\b",
    r"\b(?:esqueç?[ae]|ignore|cancele) (?:isso|isto)|\b(?:dimentica|ignora|annulla)(?:lo| quest[oa]| quell[oa])\b|\b(?:vergeet|negeer) (?:dat|dit)|\b(?:zapomnij|zignoruj|anuluj)\b|забуд[ьт]|игнорируй|отмени|я ошиб",
    r"(?:请|請)?忽略|弄错|错了|錯了|搞错|算了|作废|無視して|間違えました|取り消し|やっぱり|やめて|무시|취소|잘못",
)  # fmt: skip

# ── after a call ─────────────────────────────────────────────────────────────

_LEAVE = _any(
    r"\b(?:should|shall|may|can|could|do\s++you\s++want|would\s++you\s++(?:like|want))\s++(?:me|I|we)(?:\s++to)?\s++(?:\w++\s++)?(?:run|execute|call|send|do|make|proceed|go\s++ahead|submit|start|continue|perform|apply)\b(?![^.?!]*\b(?:also|afterwards|next|as\s++well|too|else)\b)",
    r"\b(?:ok(?:ay)?|all\s++right|alright|fine|good)\s++(?:to\s++(?:run|send|go|proceed)|with\s++you|for\s++you)\b|\b(?:is|does|are)\s++(?:this|that|it)\b[^.?!]{0,60}[?？]|\bgo\s++ahead\s*+[?？]|\bproceed\s*+[?？]|\blet\s++me\s++know\s++(?:if|whether|when)\s++(?:I|this|that|you\s++want\s++me|it)\b[^.]{0,30}\b(?:run|execute|should|okay|ok|right|correct|proceed|send)",
    r"\b(?:soll|darf|kann) ich\b[^.?!]{0,60}[?？]|\b(?:dois|puis|peux)-je\b|\b(?:voulez-vous|veux-tu) que\b|\b(?:quieres|desea|quiere) que\b|\b(?:debo|puedo)\b[^.!]{0,40}[?？]|\b(?:posso|devo|vuoi che|quer que)\b[^.!]{0,40}[?？]|\b(?:zal|mag|moet) ik\b[^.!]{0,40}[?？]|\bczy mam\b|(?:выполнить|запустить|мне сделать)[^.!]{0,40}[?？]|(?:要|需要|可以)(?:我)?[^。]{0,20}(?:执行|執行|调用|運行|运行)[^。]{0,10}吗|(?:実行|送信)して(?:も)?(?:よろしい|いい|良い)|할까요|될까요",
)  # fmt: skip
"""Words of somebody who asks whether the call should be made."""
_UNDONE = _any(
    r"\b(?:I|we)\s++(?:(?:have|did|will|do)(?:n['’]t|\s++not)|won['’]t|['’]ve\s++not)\s++(?:yet\s++|actually\s++|really\s++)?(?:r[au]n|executed?|sen[dt]|called?|make|made|do|done)\s++(?:this|that|it|these|anything|the\s++call)\b",
    r"\A\W*+(?:not|never)\s++(?:yet\s++)?(?:run|executed|sent|called|made)\b|\b(?:I|we)\s++(?:can['’]t|cannot)\s++(?:actually\s++)?(?:run|execute|call|send)\s++(?:this|that|it)\b|\bholding\s++(?:this|it)\s++back\b|\b(?:do\s++not|don['’]t|never)\s++(?:run|execute|send|call)\s++(?:this|that|it)\b|\bonly\s++run\s++(?:this|it)\s++(?:once|if|when|after)\b|\bnot\s++a\s++(?:real\s++)?call\b|\A\W*+(?:but\s++)?(?:I|we)\s++(?:won['’]t|will\s++not|can['’]t|cannot)\s*+[,.;!]",
    r"\bnicht (?:ausführen|ausgeführt|aufrufen)|\bne (?:pas|l['’]exécut)|\bno (?:lo |la )?(?:ejecut|llam)|\bnão execut|\bnon esegu|\bniet uitvoer|\bне выполн|(?:不要|没有|未)(?:执行|调用)|実行していません|실행하지",
)  # fmt: skip
"""Words of somebody who says after a call that it was not made, or must not be."""
_SPOKEN_OF = _any(
    r"\b(?:the|this|that|these|those|such)\s++(?:(?:above|first|raw|whole|last)\s++)*(?:snippet|syntax|format|examples?|tags?|markup|notation|listing|template)\b|\b(?:tag|block|object|json|string|token|reply|output)\s++above\b|\bexact\s++words\b|\A\W*+(?:end\s++of\s++)?quoted?\b|\bcopy\s++(?:this|it)\s++into\b|\brun\s++this\s++yourself\b|\bthe\s++above\b|\b(?:parse|wrong|valid|correct|missing)\b[^.!?]{0,40}[?？]",
    r"(?:\A|[.!?]\s++)\W*+(?:that|this|it)(?:['’]s|\s++(?:is|was|would\s++be))\s++(?:what|how|an?\s++example|only\s++an?|just\s++an?|the\s++(?:\w++\s++)?(?:call|syntax|format|output|reply|text|string)\b)",
    r"\bas\s++you\s++can\s++see\b|\bnote\s++(?:that\s++the|how|the)\b|\byou\s++(?:can|could|should|must|may|need\s++to)\s++(?:now\s++|then\s++)?(?:adapt|copy|paste|replace|send|write|call|run)\s++(?:this|that|it)\b",
)  # fmt: skip
"""Words about a call that has just been shown."""


def acts(sentence: str) -> bool:
    """Whether somebody says here what they do next."""
    if _ANNOUNCED.search(sentence) is not None:
        return True
    if _SAYING.search(sentence) is not None and _DOING.match(sentence) is None:
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
    if _CONDITION.search(sentence) is not None or _APPROVAL.search(sentence) is not None:
        return True
    said = _DECLINED.search(sentence) or _DECLINED_ELSEWHERE.search(sentence)
    rest = "" if said is None else sentence[said.end() :]
    return said is not None and not acts(rest) and _BUT.search(rest) is None


def asks_leave(sentence: str) -> bool:
    """Whether the sentence asks the reader whether a call should be made."""
    return _LEAVE.search(sentence) is not None


def takes_back(sentence: str) -> bool:
    """Whether the sentence after a call says that it shall not be made, or not be made yet."""
    return any(
        words.search(sentence) for words in (_BACK, _BACK_ELSEWHERE, _LEAVE, _UNDONE, _APPROVAL)
    )


def speaks_of(sentence: str) -> bool:
    """Whether the sentence after a call speaks of it as of a text."""
    if _WILL.search(sentence) is not None:
        return False
    return bool(_SPOKEN_OF.search(sentence) or _SHOWN_ELSEWHERE.search(sentence))
