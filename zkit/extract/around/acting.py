"""A sentence before a call in, whether somebody acts in it out: says what they do now, or next."""

from __future__ import annotations

import re

from zkit.extract.around.phrases import compiled, nothing_but
from zkit.extract.around.showing import shown_elsewhere, shows

_LISTS = {
    "show": "show,explain,demonstrate,illustrate,describe,quote,cite,paste,repeat,summarise,summarize,present,walk,tell,say,recap,discuss,document,annotate,imagine,assume,suppose,pretend,consider,give,provide,reproduce,include,write_down,write_out,propose,suggest,recommend,draft,spell,leave,write_it,prepare_it,prepare_the_call,only_show,read_it",
    "adverb": "now,just,first,also,quickly,try_to,go_ahead_and,then,again,simply,next,briefly,please,only,really,directly,immediately,still,gladly",
    "order": "now,for_now,next,first,second,third,fourth,finally,lastly,once_more,one_more_time,again,this_time,only_this,afterwards,additionally,also,in_addition,furthermore,plus,besides,followed_by",
    "apt": "right,new,correct,proper,corrected,fixed,missing,updated,revised,adjusted,other,complete,full,actual,real,final",
    "tool": "tool,tools,function,call,calls,tool_call,function_call,lookup,search,query,check,request,data,information",
    "deed": "call,calls,lookup,search,query,check,request,test,try,attempt,retry,look,action,step",
}  # fmt: skip

# ── somebody who does something ──────────────────────────────────────────────

_FIRST_PERSON = compiled(
    {
        "en": (
            "I'll,we'll", "I,we will,shall", "I,we ({adverb}) need,have,want,ought,intend,plan to", "I,we ({adverb}) need", "I,we should,must,can",
            "I'd,we'd like to", "I've,I_have,we've,we_have decided to", "I,we now", "I'm,we're,I_am,we_are ({adverb}) going,about,trying to", "I'm,we're,I_am,we_are ~ -ing",
            "let me,us", "lemme", "let's", "I'd,I_would be glad,happy to", "allow me to",
        ),
    },
    _LISTS,
)  # fmt: skip
"""The first person, up to the verb that says what it does."""
_FIRST_PERSON_ELSEWHERE = compiled(
    {
        "de": ("wird,werden abgerufen,abgefragt,geprüft,ausgeführt,gesucht,geladen,gesendet", "hier ist,kommt der,mein aufruf", "^ werkzeugaufruf,funktionsaufruf,aufruf :", "ich,wir", "lass,lasst,lassen_sie mich,uns"),
        "fr": ("voici l'appel", "^ appel de_l'outil,de_fonction,d'outil :", "en cours", "j'ai besoin", "je,j'", "laisse-moi,laissez-moi,permettez-moi,permets-moi,laisse_moi,laissez_moi", "voyons,allons"),
        "es": ("aquí está,va la llamada", "^ llamada a_la_herramienta,a_la_función,de_herramienta :", "^ -ando,-iendo", "voy,vamos a", "déjame,déjeme,permítame,permíteme", "estoy -ndo", "procedo,consulto,busco,reviso,compruebo,ejecuto,llamo,miro,empiezo,comienzo,hago,uso,necesito"),
        "pt": ("aqui está a chamada", "^ -endo,-indo", "deixa eu", "vou", "deixe-me,deixa-me,permita-me", "estou -ndo,a", "consulto,verifico,procuro,executo,começo,faço,preciso"),
        "it": ("ecco la chiamata", "controllo,cerco,verifico,procedo,eseguo,chiamo,faccio,comincio,inizio", "vado a", "lasciami,fammi,mi_lasci", "sto -ndo"),
        "nl": ("ik", "laat me,mij,ons"), "sv": ("jag", "låt mig"), "da": ("jeg", "lad mig", "la meg"),
        "ru": ("^ вызов инструмента,функции :", "мне нужно,нужна,нужен,нужны", "давайте,сейчас", "-аю,-яю,-ую,-лю,смотрю", "сделаю,посмотрю,проверю,вызову,найду,узнаю,запрошу,поищу,выполню,ищу"), "uk": ("зараз,перевірю,подивлюся",),
        "pl": ("zaraz,pozwól,sprawdzam,szukam", "-ę,-uję,-iam"), "cs": ("podívám,zkontroluji,zjistím,ověřím,spouštím",),
        "tr": ("-ıyorum,-iyorum,-uyorum,-üyorum,-acağım,-eceğim,-ayım,-eyim",), "id": ("saya akan", "mari kita", "biar saya"), "vi": ("tôi sẽ", "để tôi"), "fi": ("tarkistan,katson,haen",),
        "zh": ("^ 调用,查询,搜索,使用,看看 ... :", "先 调用,查询,执行,看", "我,我们,我們 (现在,現在,这就,這就,马上,馬上,先,就,再) (先,就,再) 来,來,会,會,将,將,去,要,需要,帮,幫,查,看,调用,調用,执行,執行,使用,正在", "让我,讓我,正在,稍等,马上,馬上", "现在,現在 查,看,调,調,执,執,开,開"),
        "ja": ("確認,検索,実行,取得,処理 中", "使い,使用し,開き,読み,送信し,作成し,更新し ます", "調べ,お調べし,確認し,検索し,取得し,実行し,呼び出し,見てみ,探し,やってみ (てみ) ます,ましょう,ています",),
        "ko": ("검색,확인,실행,조회 중", "실행합니다,호출합니다,조회합니다,확인합니다,검색합니다,겠습니다,할게요,볼게요,올게요,갈게요", "하는 중", "중입니다"),
        "ar": ("سأ,سن,دعني,دعنا",), "hi": ("मैं ... हूँ,हूं,ूँगा,ूंगा,ूंगी", "देखता हूँ"), "he": ("אני בודק,אבדוק,מחפש", "תן לי"),
    }
)  # fmt: skip
_NOT_DOING = compiled(
    {
        "en": ("^ ({adverb}) ({adverb}) not,never,{show}", "^ have", "^ know if,whether,when", "^ ({adverb}) look_at,go_over how,what", "^ ({adverb}) use,take,look_at,see,make ~ example,examples,sample,samples"),
        "de": ("^ habe,hatte,würde,könnte,hätte,zeige,erkläre,zitiere,gebe,nenne,bringe,haben,hatten,würden,könnten", "^ ... nicht,nie,niemals,kein,keine,keinen"),
        "fr": ("^ vais montrer,citer,expliquer,donner", "^ n',ne,ai,donne,avais,aurais,pourrais,voudrais,montre,cite", "^ vous,te montre,cite", "^ (vous) l'ai,t'ai,l'avais"),
        "es": ("^ mostrar,explicar,citar,dar,poner",), "it": ("^ mostrare,spiegare,citare,dare",), "nl": ("^ heb,had,zou", "^ ... niet"), "sv": ("^ har,hade,skulle",), "da": ("^ havde,hadde,ville",),
        "zh": ("^ 不,没,沒,解释,展示,说明,举,给",), "ja": ("^ か",),
    },
    _LISTS,
)  # fmt: skip
"""What may follow it when nothing is done: a verb of showing, a negation, what is past or only possible."""
_SHOWING = (
    "showing",
    "quoting",
    "explaining",
    "describing",
    "repeating",
    "citing",
    "waiting",
    "thinking",
    "planning",
    "considering",
)
"""What somebody is doing who does not act."""
_TURNED_ROUND = compiled({"de": ("habe,hatte,würde,könnte,haben,hatten $",)})
"""The same before it, in a language that turns the two round."""
_PRESENT = re.compile(r"\W*+(?:(?:and|so|but|then|thus|therefore|hence|for that|for this|to do so)\s++)*+(?:i|we)\s++(?:(?:now|just|only|then|also|therefore|almost|\w++(?<=ly))\s++)*+(\w++)"
)  # fmt: skip
_NOT_NOW = frozenset(
    ["am", "are", "was", "were", "did", "had", "have", "has", "would", "could", "might", "may", "ran", "sent", "wrote", "made", "said", "told", "got", "took", "saw", "found", "gave", "knew", "thought", "meant", "read", "know", "remember", "recall", "mean", "see", "think", "believe", "guess", "suppose", "assume", "imagine", "get", "receive", "quote", "write", "show", "explain", "usually", "often", "never", "always", "already", "once", "earlier", "previously", "just", "recently", "don", "didn", "propose", "suggest", "recommend", "expect", "assert", "wish", "plan", "want", "hope", "like", "cannot", "can", "will", "shall", "should", "must", "wait", "hesitate", "hold", "refuse", "stop", "decline"]
)  # fmt: skip
"""Words after "I" that do not say what is done now; those in "-ed" do not either."""

# ── a line that says what is done, and not by whom ───────────────────────────

_ING = re.compile(r"\W*+([a-z]{2,}ing)\b")
"""What is being done, without a word of who does it: "Looking it up"."""
_NO_DEEDS = frozenset(
    ["following", "according", "regarding", "concerning", "depending", "being", "having", "nothing", "something", "anything", "everything", "during", "string", "warning", "missing", "listing", "meaning", "bring", "king", "thing", "quoting", "citing", "showing", "writing", "heading", "assuming", "supposing", "existing", "including"]
)  # fmt: skip
"""Words that end like it and do not say what is done."""
_FINITE = compiled({"en": ("is,are,was,were,be,look,looks,give,gives,gave,print,prints,printed,produce,produces,return,returns,returned,result_in,results_in,yield,yields,work,works,would,could,might,should,must,mean,means,show,shows,failed,fails,had,did,does,has,require,requires,need,needs",)})  # fmt: skip
"""A verb that makes a statement of such a line."""
_NEXT = compiled(
    {
        "en": ("^ (so,but) {order} ~ :", "^ {order} the call,tool itself", "^ {order} $", "^ and_then,then,after_that $", "^ and,then {order} ~ :", "^ once_more,again,this_time ... :", "^ once_more,again,this_time -- ... :", "^ (so) here it is,goes,comes (again) :", "^ {order} -- ... ?", "^ and,also,then ... :", "^ as requested,asked,agreed,discussed,promised,you_asked,you_wish,you_requested :", "^ per your request :", "^ here (you_go) :", "^ same call,thing,request,query again :", "^ plan b :", "^ so,thus,hence,therefore :", "^ (now) the real thing,one,call $", "^ ~ now,right_away,at_once,immediately :"),
        "de": ("^ (und) jetzt,nun,zuerst,dann,danach,zunächst,nochmal,noch_einmal,außerdem ... :", "^ nächster Schritt :"),
        "fr": ("^ (et) maintenant,d'abord,ensuite,puis,encore_une_fois,aussi ~ :", "^ prochaine étape :"), "es": ("^ (y) ahora,primero,luego,después,otra_vez,también ~ :", "^ siguiente paso :"),
        "pt": ("^ (e) agora,primeiro,depois,também ~ :", "^ próximo passo :"), "it": ("^ (e) ora,adesso,prima,poi,anche ~ :", "^ prossimo passo :"), "nl": ("^ (en) nu,eerst,daarna,dan,ook ~ :",),
        "ru": ("^ (и) теперь,сначала,затем,далее,потом ~ :",), "zh": ("^ 现在,首先,然后,接下来,下一步,另外,还有 :",), "ja": ("^ まず,次に,では,また,それから :",),
    },
    _LISTS,
)  # fmt: skip
"""A line, or the end of one, that says that something comes next."""
_ANNOUNCES = compiled(
    {
        "en": (
            "here_goes,therefore $", "here's,here_is,here_are,here_comes,here_come (the,my) (next) ({apt}) (tool,function) {deed} (again) $", "here's,here_is (the,my) ({apt}) (tool,function) call with,in_the_right,in_the_correct,in_the_proper ... :", "^ (the,my,a) {apt} (tool,function) {deed} (again) :", "^ (the) {apt} one :", "^ new (action,move,plan) :", "^ attempt,try,retry,take # :", "^ try again :", "^ function,tool to call,use :", "here's,here_is,here_comes (the,my) (tool,function) call,calls to ... $",
            "^ (now,and) the tool,call $", "^ my (next,first) move,answer,action,call,request,query,search,choice,turn,attempt,step,decision :", "^ step # of # ~ :", "^ this is the right,real,correct one :",
            "^ (a,one,another,just_a,just_one) quick,short,small,brief,first,second,third,next,last,final,new,real,single,further,more (tool,function,test) {deed} ... :",
            "^ (so,and,then) (the,my) next,first,second,third,only,remaining step,thing,action,call ... :", "^ (the,my) last step,thing ... :", "step # is,are ... :", "^ with the,a {apt} ... :", "^ (oops) with the,a * :",
            "need,needs,require,requires,calls_for ... {tool} :", "{tool} ~ is,are,should_be,will_be needed,required,necessary,enough,due,best ... :", "^ the,a best,right ~ {tool} ... is * :", "tool ~ is,can,will,should best,right,help,answer,tell,do ... :", "^ it's,it_is best,time,necessary,better to ... :", "^ (it's) time to ... :",
            "^ (i) need_to,must,gonna,will,going_to,have_to,got_to,want_to * ... :", "^ ~ lookup,search :",
            "^ the following,next,one call,request,query ({apt}) will_do,does,should_do,will_tell,will_give,will_get,will_answer,will_fetch,is_needed,is_enough ... :",
        ),
    },
    _LISTS,
)  # fmt: skip
"""A line that announces the call itself."""
_LABEL = compiled(
    {
        "en": (
            "^ (#) (next,my,first,the) action,actions,act,tool_call,tool_calls,tool-call,tool-calls,toolcall,tool_use,tool-use,function_call,function_calls,function-call,plan,steps,next_step,next_steps,todo,to_do,approach,retry,correction,corrected (#) $",
            "^ (the,next) tool,function (to_use,to_call,needed,name,chosen,selected) -- * $",
        ),
        "de": ("^ aktion $",), "es": ("^ acción,accion $",), "ru": ("^ действие $",), "zh": ("^ 行动,动作,工具调用 $",), "ja": ("^ アクション,ツール呼び出し $",),
    }
)  # fmt: skip
"""A line that is nothing but a label of the call itself."""
_TO_ONESELF = compiled({"en": ("^ run,call,use,get,fetch,look,search,check,find,read,query,list,invoke,execute,retrieve,ask,send,create,update,open,gather,collect,do,make",)})  # fmt: skip
"""An order, as a list of steps has it."""
_POINTS = compiled(
    {
        "en": (
            "^ this,these,that,the_following,following,as_follows",
            "^ it :",
        )
    }
)
"""What follows an order that shows the reader what to write."""
_NOT_HERE = compiled({"en": ("in,of,from the,a,our ~ log,logs,tutorial,manual,transcript,recording,session,docs,documentation,training_data", "for,by you", "yesterday")})  # fmt: skip
"""Where or by whom the step is taken that a line announces: not here and now."""
_FOR_THE_READER = compiled(
    {
        "en": (
            "for you to",
            "for your approval,review,notes",
            "you run it",
            "not run,send,execute it",
            "tomorrow,later $",
            "as text",
        )
    }
)
"""What is written for somebody to look at, and not made."""
_READY = nothing_but(
    {
        "en": (
            "sure (thing)", "ok,okay,yes,yep,now,well,so,ah,oh,hm,hmm,hello,hi,hey,first,next,then,again,and", "of course", "certainly,absolutely,gladly,understood,noted,ready,welcome", "got it", "I see,understand",
            "right (away)", "all right", "alright,great,perfect,fine,excellent,wonderful,cool,nice,good,interesting", "no problem,worries", "on it,my_way", "will do", "happy to (help)", "one,just_a moment,second,sec", "moment",
            "hold on", "thanks", "thank you", "please", "sounds good", "you got it", "consider it done", "here we_go,it_is,goes", "as you wish", "coming right up", "let's go", "hang on", "i'm on_it", "i got this,it", "can do", "off we go", "there we go", "enough talk", "sorry", "my apologies", "you're right,welcome",
        ),
        "de": ("natürlich,klar,gern,gerne,verstanden", "alles klar", "los geht's", "los", "einen moment", "kein problem", "wird erledigt", "sofort"), "fr": ("bien sûr", "d'accord", "entendu", "un instant", "c'est parti", "allons-y", "voilà", "voyons"), "es": ("claro", "por supuesto", "entendido", "un momento", "vamos", "allá vamos", "adelante", "enseguida", "veamos", "a ver", "vamos a_ver"),
        "it": ("certo", "va bene", "subito", "un attimo", "vediamo"), "pt": ("perfeito,certamente", "um momento,segundo", "vamos ver"), "nl": ("natuurlijk", "een moment", "even kijken", "komt eraan", "laten we kijken"), "pl": ("jasne,zobaczmy",), "ru": ("конечно,хорошо,сейчас,понял-,поехали,начинаю,секунду,минуту",),
        "zh": ("好的,当然,稍等,明白了,明白,没问题,了解,开始",), "ja": ("はい,承知しました,かしこまりました,少々お待ちください",), "ko": ("네,알겠습니다",), "tr": ("tabii",), "id": ("baik",), "sv": ("javisst",), "ar": ("بالتأكيد",), "hi": ("ज़रूर",),
    }
)  # fmt: skip
"""Nothing but words that say that it will be done."""
_SAYING = compiled({"en": ("say,says,said,read,reads,wrote,write,writes,written,contain,contains,contained,show,shows,showed,replied,replies,answered,answers,printed,emitted,sent,typed,is,was,were,are,be,been,look_like,looks_like,such_as,follows,following :",)})  # fmt: skip
"""A sentence that ends so announces words, whoever speaks."""
_LABELLED = re.compile(r"[\s*_#>-]*+(?:[0-9]{1,2}[.)]|(?:step|phase|part|task|schritt|paso|étape|passo|шаг)\s++[0-9]{1,2}\s*+[.:)—–-]|第[0-9一二三]步[:：]?|(?:next |my )?(?:action|task)\s*+:)[\s*_]*+"
)  # fmt: skip
"""The number of a step before what is done in it."""
_CLAUSE = re.compile(r"[,;，；—–]")
"""What somebody does stands in the last part of the sentence before a call."""


def acts(sentence: str) -> bool:
    """Whether somebody says here what they do next."""
    sentence = sentence.lower().rstrip()
    label = _LABELLED.match(sentence)
    sentence = sentence if label is None else sentence[label.end() :]
    if label is not None and _is_order(sentence):
        return True
    clause = _CLAUSE.split(sentence)[-1]
    if _FOR_THE_READER.search(sentence):
        return False
    if _ANNOUNCES.search(sentence):
        return _NOT_HERE.search(sentence) is None
    if _SAYING.search(sentence) is not None and not _is_deed(sentence):
        return False
    if any(_NEXT.search(part) and not shows(part) for part in (clause, sentence)):
        return True
    if _READY.fullmatch(sentence) is not None:
        return not shows(sentence)
    if _done_by(_FIRST_PERSON, sentence):
        return True
    for part in (sentence, clause):
        if _is_deed(part):
            return _FINITE.search(part) is None and not shows(part)
    if sentence.endswith(("?", "？")) or (
        sentence.endswith((":", "：")) and shown_elsewhere(clause)
    ):
        return False
    return _done_now(clause) or _done_by(_FIRST_PERSON_ELSEWHERE, clause)


def labels_call(line: str) -> bool:
    """Whether a line is a label that announces the call itself."""
    return _LABEL.search(line.lower()) is not None


def _is_order(text: str) -> bool:
    """Whether a step says what is to be done in it, and not what is to be written."""
    order = _TO_ONESELF.match(text)
    return order is not None and _POINTS.match(text[order.end() :]) is None


def _done_by(person: re.Pattern[str], text: str) -> bool:
    """Whether somebody who speaks of himself does something, and does not show it or leave it."""
    return any(
        _NOT_DOING.match(text[who.end() :]) is None
        and not who.group().endswith(_SHOWING)
        and _TURNED_ROUND.search(text[: who.start()]) is None
        for who in person.finditer(text)
    )


def _done_now(clause: str) -> bool:
    """Whether a clause begins with "I" and a verb of the present."""
    found = _PRESENT.match(clause)
    if found is None or found[1] in _NOT_NOW:
        return False
    return not found[1].endswith("ed") or found[1].endswith("eed")


def _is_deed(text: str) -> bool:
    """Whether a text begins with what is being done."""
    polite = _READY.match(text)
    word = _ING.match(text, polite.end() if polite else 0)
    return word is not None and word[1] not in _NO_DEEDS
