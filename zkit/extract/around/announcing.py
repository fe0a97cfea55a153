"""A line before a call in, whether it announces the call out, and what it announces if not."""

from __future__ import annotations

import re

from zkit.extract.around.phrases import Only, Phrases
from zkit.extract.around.showing import shows

_LISTS = {
    "order": (
        "now,for_now,next,first,second,third,fourth,finally,lastly,once_more,one_more_time,again,this_time,"
        "only_this,afterwards,additionally,also,in_addition,furthermore,plus,besides,followed_by,last_but_not_least"
    ),
    "apt": "right,new,correct,proper,corrected,fixed,missing,updated,revised,adjusted,other,complete,full,actual,real,final,fresh,better",
    "turn": "next,first,second,third,last",
    "tool": "tool,tools,function,call,calls,tool_call,function_call,lookup,search,query,check,request,data,information",
    "deed": "call,calls,lookup,search,query,check,request,test,try,attempt,retry,look,action,step",
}  # fmt: skip

# ── what comes next ──────────────────────────────────────────────────────────

_NEXT = Phrases(
    {
        "en": ("^ (so,but) {order} ~ :", "^ (so,but,and) {order} the,my,our,your ~ ~ :", "^ {order} the call,tool itself", "^ {order} $",
            "^ and_then,then,after_that $", "^ and,then {order} ~ :", "^ once_more,again,this_time ... :",
            "^ once_more,again,this_time -- ... :", "^ (so) here it is,goes,comes (again) ... :", "^ {order} -- ... ?",
            "^ (and) {order},first_up,next_up,alternatively,instead,meanwhile -- ... :", "^ (and) now,next for ... :",
            "^ (and,so,now) on,back,over to ... :",
            "^ and,also,then ... :",
            "^ here (you_go) :", "^ same call,thing,request,query again :", "^ plan b :", "^ so,thus,hence,therefore :",
            "^ (now) the real thing,one,call $", "^ ~ now,right_away,at_once,immediately :"),
        "de": ("^ (und) jetzt,nun,zuerst,dann,danach,zunächst,nochmal,noch_einmal,außerdem ... :", "^ nächster Schritt :"),
        "fr": ("^ (et) maintenant,d'abord,ensuite,puis,encore_une_fois,aussi ~ :", "^ prochaine étape :"),
        "es": ("^ (y) ahora,primero,luego,después,otra_vez,también ~ :", "^ siguiente paso :"),
        "pt": ("^ (e) agora,primeiro,depois,também ~ :", "^ próximo passo :"),
        "it": ("^ (e) ora,adesso,prima,poi,anche ~ :", "^ prossimo passo :"),
        "nl": ("^ (en) nu,eerst,daarna,dan,ook ~ :",),
        "ru": ("^ (и) теперь,сначала,затем,далее,потом ~ :",),
        "zh": ("^ 现在,首先,然后,接下来,下一步,另外,还有 :",),
        "ja": ("^ まず,次に,では,また,それから :",),
    },
    _LISTS,
)  # fmt: skip
"""A line, or the end of one, that says that something comes next."""
_POSSIBLE = Phrases({"en": ("would,could,might",)})
"""A verb of what is only thought of."""
_ANNOUNCES = Phrases(
    {
        "en": (
            "here_goes,therefore $",
            "here's,here_is,here_are,here_comes,here_come (the,my) ({turn}) ({apt}) (tool,function) {deed} (again) $",
            "here's,here_is,here_comes a,the,my {apt} {deed},one,version (again) $",
            "here's,here_is (the,my) ({apt}) (tool,function) call with,in_the_right,in_the_correct,in_the_proper ... :",
            "^ (the,my,a) {apt} (tool,function) {deed} (again) :", "^ (the) {apt} one :", "^ new (action,move,plan) :",
            "^ attempt,try,retry,take,round #,two,three,four :", "^ try again :", "^ function,tool to call,use :",
            "here's,here_is,here_comes (the,my) (tool,function) call,calls to ... $",
            "^ (now,and) the tool,call $",
            "^ my (next,first) move,answer,reply,action,call,request,query,search,choice,turn,attempt,step,decision (on,in,at,to) ~ ~ :",
            "on its,their,the way :",
            "^ step # of # ~ :", "^ this is the right,real,correct one :",
            "^ (a,one,another,just_a,just_one) quick,short,small,brief,first,second,third,next,last,final,new,real,single,further,more (tool,function,test) {deed} ... :",
            "^ (so,and,then) (the,my) next,first,second,third,only,remaining step,thing,action,call ... :",
            "^ (the,my) last step,thing ... :", "step # is,are ... :", "^ with the,a {apt} ... :",
            "^ (oops) with the,a * :",
            "need,needs,require,requires,calls_for ... {tool} :",
            "{tool} ~ is,are,should_be,will_be needed,required,necessary,enough,due,best ... :",
            "^ the,a best,right ~ {tool} ... is * :", "tool ~ is,can,will,should best,right,help,answer,tell,do ... :",
            "^ it's,it_is best,time,necessary,better to ... :", "^ (it's) time to ... :",
            "^ (i) need_to,must,gonna,will,going_to,have_to,got_to,want_to * ... :", "^ ~ lookup,search,check :",
            "^ the following,next,one call,request,query ({apt}) will_do,does,should_do,will_tell,will_give,will_get,will_answer,will_fetch,is_needed,is_enough ... :",
        ),
    },
    _LISTS,
)  # fmt: skip
"""A line that announces the call itself."""
# ── labels and steps ─────────────────────────────────────────────────────────

_LABEL = Phrases(
    {
        "en": (
            "^ (#) (next,my,first,the) action,actions,act,tool_call,tool_calls,tool-call,tool-calls,toolcall,tool_use,tool-use,function_call,function_calls,function-call,plan,steps,next_step,next_steps,todo,to_do,approach,retry,correction,corrected (#) $",
            "^ (the,next,selected,chosen,best,required) tool,function,action (to_use,to_call,needed,name,chosen,selected,used) -- * $",
            "^ reason,rationale,goal,purpose,intent -- *",
        ),
        "de": ("^ aktion $",),
        "es": ("^ acción,accion $",),
        "ru": ("^ действие $",),
        "zh": ("^ 行动,动作,工具调用 $",),
        "ja": ("^ アクション,ツール呼び出し $",),
    }
)  # fmt: skip
"""A line that is nothing but a label of the call itself."""
_TO_ONESELF = Phrases({"en": ("^ run,call,use,get,fetch,look,search,check,find,read,query,list,invoke,execute,retrieve,ask,send,create,update,open,gather,collect,do,make",
    )})  # fmt: skip
"""An order, as a list of steps has it."""
_POINTS = Phrases(
    {
        "en": (
            "^ this,these,that,the_following,following,as_follows",
            "^ it :",
        )
    }
)
"""What follows an order that shows the reader what to write."""
_NOT_HERE = Phrases({"en": ("in,of,from the,a,our ~ log,logs,tutorial,manual,transcript,recording,session,docs,documentation,training_data",
    "for,by you", "yesterday", "by the,a,an,another,our ~", "this,that,each,every one,format needs")})  # fmt: skip
"""Where or by whom the step is taken that a line announces: not here and now."""
_READY = Only(
    {
        "en": (
            "sure (thing)", "ok,okay,yes,yep,now,well,so,ah,oh,hm,hmm,hello,hi,hey,first,next,then,again,and",
            "of course", "certainly,absolutely,gladly,understood,noted,ready,welcome", "got it", "I see,understand",
            "right (away)", "all right", "alright,great,perfect,fine,excellent,wonderful,cool,nice,good,interesting",
            "no problem,worries", "on it,my_way,its_way", "will do", "happy to (help)", "one,just_a moment,second,sec",
            "moment",
            "hold on", "thanks", "thank you", "please", "sounds good", "you got it", "consider it done",
            "here goes nothing", "here we_go,it_is,goes", "as you wish", "coming right up", "let's go", "hang on", "i'm on_it",
            "i got this,it", "can do", "off we go", "there we go", "enough talk", "sorry", "my apologies",
            "you're right,welcome", "at your service", "your wish is my command", "fingers crossed", "why wait", "brb",
        ),
        "de": ("natürlich,klar,gern,gerne,verstanden,gut,okay,na,und,aber,also,bitte,perfekt,prima,sehr,sicher", "alles klar", "los geht's", "los", "einen moment",
            "kein problem", "wird erledigt", "sofort"),
        "fr": ("bien sûr", "d'accord", "entendu,parfait,volontiers,compris", "très bien", "un instant", "c'est parti",
            "allons-y", "voilà", "voyons", "avec plaisir", "pas de souci,problème", "tout de suite"),
        "es": ("claro,perfecto,vale,listo,bien,muy", "por supuesto", "entendido", "un momento", "vamos", "allá vamos,voy", "adelante", "enseguida",
            "veamos", "a ver", "vamos a_ver", "de acuerdo", "con (mucho) gusto", "sin problema", "ahí va"),
        "it": ("certo,perfetto,volentieri,subito,bene,ecco", "va bene", "un attimo", "vediamo", "d'accordo", "ci siamo",
            "ecco qui", "nessun problema", "con piacere"),
        "pt": ("perfeito,certamente,certo,claro,ok,beleza,pronto", "um momento,segundo", "vamos (lá,ver)", "lá vai",
            "tudo bem", "com prazer", "está bem", "sem problema"),
        "nl": ("natuurlijk", "een moment", "even kijken", "komt eraan", "laten we kijken"),
        "pl": ("jasne,zobaczmy",),
        "ru": ("конечно,хорошо,сейчас,понял-,поехали,начинаю,секунду,минуту,ладно,отлично,готово", "с удовольствием",
            "без проблем"),
        "zh": ("好的,好,好吧,当然,稍等,明白了,明白,没问题,了解,开始,收到,可以,行,遵命,乐意效劳",),
        "ja": ("はい,承知しました,承知いたしました,かしこまりました,少々お待ちください,了解です,了解しました,では,それでは,分かりました,わかりました,もちろんです,喜んで",),
        "ko": ("네,예,알겠습니다,알겠어요,좋습니다,좋아요,물론입니다,물론이죠,그럼,기꺼이,문제없습니다",),
        "tr": ("tabii",),
        "id": ("baik",),
        "sv": ("javisst",),
        "ar": ("بالتأكيد",),
        "hi": ("ज़रूर",),
    }
)  # fmt: skip
"""Nothing but words that say that it will be done."""
_SAYING = Phrases({"en": ("say,says,said,read,reads,wrote,write,writes,written,contain,contains,contained,show,shows,showed,replied,replies,answered,answers,print,prints,printed,emitted,sent,typed,is,was,were,are,be,been,look_like,looks_like,such_as,follows,following :",
    )})  # fmt: skip
"""A sentence that ends so announces words, whoever speaks."""
_LABELLED = re.compile(r"[\s*_#>-]*+(?:[0-9]{1,2}[.)]|(?:step|phase|part|task|schritt|paso|étape|passo|шаг)\s++[0-9]{1,2}\s*+[.:)—–-]|第[0-9一二三]步[:：]?|(?:next |my )?(?:action|task)\s*+:)[\s*_]*+"
)  # fmt: skip
"""The number of a step before what is done in it."""


def announces(sentence: str) -> bool:
    """Whether a line announces the call itself, here and now."""
    return _ANNOUNCES.search(sentence) is not None and _NOT_HERE.search(sentence) is None


def announces_words(sentence: str) -> bool:
    """Whether a line announces what somebody says or writes."""
    return _SAYING.search(sentence) is not None


def leads_on(text: str) -> bool:
    """Whether a line, or the end of one, says that something comes next that is no example."""
    if _NEXT.search(text) is None or _POSSIBLE.search(text) is not None:
        return False
    return not shows(text)


def says_ready(sentence: str) -> bool:
    """Whether there is nothing but words that say that it will be done."""
    return _READY.fullmatch(sentence) is not None and not shows(sentence)


def after_courtesies(text: str) -> str:
    """What follows the words that only say that it will be done."""
    polite = _READY.match(text)
    return text if polite is None else text[polite.end() :]


def step_in(sentence: str) -> str | None:
    """What is said of a step after its number; None when there is no number."""
    label = _LABELLED.match(sentence)
    return None if label is None else sentence[label.end() :]


def gives_order(step: str) -> bool:
    """Whether a step says what is to be done in it, and not what is to be written."""
    order = _TO_ONESELF.match(step)
    return order is not None and _POINTS.match(step[order.end() :]) is None


def labels_call(line: str) -> bool:
    """Whether a line is a label that announces the call itself."""
    return _LABEL.search(line.lower()) is not None
