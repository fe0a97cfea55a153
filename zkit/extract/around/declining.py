"""A sentence in, whether a call is not made in it, or not yet, out: declined, or left to the reader."""

from __future__ import annotations

import re

from zkit.extract.around.acting import acts
from zkit.extract.around.meaning import (
    BY_THE_READER,
    GRANTED,
    HANGS_ON_A_YES,
    LATER,
    LEAVE,
    NEGATED,
    REFUSED,
    REVIEW,
    clauses,
    means,
)
from zkit.extract.around.phrases import Phrases

_LISTS = {
    "do": (
        "run,ran,execute,executed,executing,call,called,calling,invoke,invoked,invoking,perform,performed,issue,"
        "issued,trigger,triggered,carry,comply,do,doing,write,written,writing,send,sent,submit,submitted,"
        "go_ahead,proceed,proceeded"
    ),
    "request": "make,made,send,sent ~ call,calls,request,requests",
    "never": "not,never",
    "order": "run,call,send,execute,invoke,use,write,do,answer,copy,try,act,follow,paste,make",
    "agree": "approve,confirm,agree,consent,sign_off",
    "yes": (
        "confirm-,bestätig-,conferm-,bevestig-,potwierdz-,подтвержд-,approv-,freigab-,zustimm-,aprob-,permis-,"
        "erlaub-,toestemm-,соглас-,review-"
    ),
    "wait": (
        "wait-,await-,pending,until,once,before,after,warte,bevor,nach,attends,avant,après,espero,antes,aguardo,"
        "attendo,aspetto,prima,wacht,czekam,жду,после"
    ),
    "granted": (
        "confirm,confirmed,agree,agreed,approve,approved,allow,allowed,permission,"
        "approval,your"
    ),
}  # fmt: skip
_NO_MORE = ("I,we will,can,must,should,would,do,did,have {never}",
    "I'm,we're,I_am,we_are not going,willing,allowed,able to", "I'll,we'll,I've,we've {never}",
    "I,we cannot,can't,won't,mustn't,shouldn't,wouldn't,don't,didn't,haven't",
    "I,we refuse,refused,decline,declined to", "I,we never")  # fmt: skip
_DECLINED = Phrases(
    {
        "en": (
            *(f"{who} ~ {what}" for who in _NO_MORE for what in ("{do}",
                "make,made,send,sent ~ call,calls,request,requests")),
            "must,should,may,can,shall,could,would,ought {never} ~ run,call,send,execute,invoke,use,write,do",
            "must,should,may,can,shall,could,would,ought {never} (ever) be run,called,executed,sent,made,used,written,invoked,done,copied",
            "mustn't,shouldn't,can't,couldn't,wouldn't ~ run,call,send,execute,invoke,use,write,do",
            "mustn't,shouldn't,can't,couldn't,wouldn't (ever) be run,called,executed,sent,made,used,written,invoked,done",
            "^ (please) do_not,don't,never,not_to ~ {order}", "please do_not,don't,never,not_to ~ {order}",
            "not today,now,yet $", "^ {never} (yet) run,executed,sent,called,made,real,meant,needed", "^ {never} a (real) call",
            "was,were,is,are,been,being,it,as {never} (yet,actually,really) run,executed,sent,called,made,real,meant,needed",
            "was,were,is,are,it,as {never} a (real) call",
        ),
        "de": ("noch nicht", "nicht ... ausführ-,ausgeführt,aufruf-,aufgerufen,send-,gesendet,auf",
            "führe,rufe,starte,sende ... nicht", "darf,soll,sollte,sollten,solltest,dürfen ... nie,niemals,nicht,man",
            "keinen fall ... man", "niemals"),
        "fr": ("pas encore", "n',ne ... pas,jamais ... exécut-,appel-,lanc-,envoy-,fai-",
            "n',ne exécut-,appell-,lanc-,envoy- pas,jamais", "ne (l') ai,faut,doit,devez pas,jamais", "l'ai pas"),
        "es": ("todavía,aún no", "no,nunca,jamás ... ejecut-,llamo,llamar,llamaré,llames,invoc-,envi-,he_hecho,la_he"),
        "pt": ("ainda não", "não,nunca ... execut-,cham-,envi-"),
        "it": ("non ancora", "non,mai ... esegu-,chiam-,invi-,scriv-"),
        "nl": ("nog niet", "niet ... uitvoer-,uitgevoerd,aanroep-,verzend-"),
        "pl": ("jeszcze n-", "nie ... uruch-,wywoł-,wykon-,wysy-", "niczego nie"),
        "ru": ("ещё,еще не", "не ... выполн-,вызыв-,вызов-,запуск-,запущ-,отправ-", "никогда"),
        "zh": ("还没,還沒,尚未",
            "不,没,沒,勿,请勿,請勿,别,別,未 (会,會,能,要,应,應,该,該,想,有,得,再,可,曾) (会,會,能,要,应,應,该,該,想,有,得,再,可,曾) (去) 执行,執行,调用,調用,运行,運行,呼叫,发送,输出"),
        "ja": ("実行,呼び出し,呼出,送信 しません,しない,できません,は行いません,していません,しないで",), "ko": ("아직", "실행,호출 하지 않,마,말"),
    },
    _LISTS,
)  # fmt: skip
"""Words of somebody who does not make the call, or says that nobody should."""
_BROKEN_OFF = re.compile(r"\b(?:won['’]t|will\s++not|can['’]t|cannot)\b\s*+(?:[,.;!—]|because\b|\Z)")  # fmt: skip
"""A refusal that needs no verb."""
_AWAITS_YES = Phrases(
    {
        "en": (
            "must,needs_to,need_to,has_to,have_to,should (first) {agree}", "do you approve,agree", "^ just let me know $",
            "need your ~ permission,ok,okay,approval,consent,confirmation,go-ahead",
            "^ (please) approve,confirm,review $", "^ please approve,confirm,review it,this,that,before,first",
            "^ (please) confirm to,and,before", "^ agreed,confirm,approved,confirmed ?",
            "when you say_so,agree,approve,confirm", "tell me whether,if to,I_should,I_may",
            "before I {do} this,it,that",
            "^ (just,please,simply) type,say,reply,answer,write,press,click,send,respond ... to run,execute,send,proceed,confirm,continue,call",
            "{wait} ... your word,yes,ok,okay,go-ahead,signal,decision,consent,nod,green_light",
            "until you say,tell,confirm,agree",
            "if,unless,once,when,as_soon_as,should ... I,I'll,I_will,I'd,I_would (only) run,send,do,make,execute,call,submit,drop it,this,that",
            "if,unless,once,when,as_soon_as,should ... -- I,I'll,I_will,I'd,I_would (only) run,send,do,make,execute,call,submit,drop it,this,that",
            "I'll,I_will,I'd (only) run,send,do,make,execute,call,submit it,this,that if,once,when,after,as_soon_as",
            "with your ok,okay,permission,blessing,consent", "^ on your command,word,signal,ok",
            "(just) say go,yes,the_word,when", "give me a,the sign,signal,nod,word",
            "^ approve,accept,yes,run or,and reject,deny,no,cancel,edit", "y/n,yes/no,approve_/_reject",
            "awaiting,waiting_for,wait_for your go,word,yes,ok,okay", "^ please choose", "^ (please) review,check it,this,them and", "{wait} ... {yes}",
            "before I {do} this,it,that",
            "^ (just,please,simply) type,say,reply,answer,write,press,click,send,respond,confirm ... and,then,so I'll,I_will,I_can,I'd",
            "^ (just,please,simply) tell me,us ... and I'll,I_will ~ {do}",
        ),
        "zh": ("确认,確認,同意 ... 后,後",), "ja": ("確認,承認 ... てから",), "ko": ("확인해 주시면",),
    },
    _LISTS,
)  # fmt: skip
"""Words of somebody who waits for a yes."""
_IF_YOU_LIKE = Phrases(
    {
        "en": ("if,once,when,unless,until,after,before you,I (have,had,get,got,are) {granted},ready",
            "if,once,when,unless,until,after,before you (have,had) say,tell,let,want,wish,like",
            "if you'd like,prefer,want,rather", "^ not yet",
            "^ (please) confirm", "please,you,must confirm", "be confirmed", "confirm (that) you,first,before",
            "your consent,go-ahead,okay,ok", "if I had,were,could"),
        "de": ("falls,wenn,sobald sie,du,ihr",),
        "fr": ("si vous,tu",),
        "es": ("si quieres,usted,confirm-,estás",),
        "pt": ("se você,quiser",),
        "it": ("se vuoi,confermi",),
        "ru": ("если вы,ты",),
        "zh": ("如果 您,你 同意,确认,確認,想",),
        "ja": ("よろしければ",),
    },
    _LISTS,
)  # fmt: skip
"""Words before a call of somebody who would make it if the reader said so."""
_NEEDS_NO_YES = Phrases({"en": ("you may,might,will,could ... {agree}", "asked to {agree}", "next,as_well $",
    "not,don't,needn't,doesn't (need,have) (to) {agree}", "no need to {agree}", "without", "granted,given", "confirmation number,code,mail,email,message")}, _LISTS)  # fmt: skip
_BUT = Phrases({"en": ("but",),
"de": ("aber",),
"fr": ("mais",),
"es": ("pero",),
"pt": ("mas",),
"it": ("ma",),
"nl": ("maar",),
"pl": ("ale",),
"ru": ("но",),
"zh": ("但",),
"ja": ("でも",),
"ko": ("지만",)})  # fmt: skip
"""After what is not done, something that is."""
_ASKS = Phrases(
    {
        "en": (
            "should,shall,may,can,could,do_you_want,would_you_like,would_you_want me,I,we (to) ~ run,execute,call,send,do,make,proceed,go_ahead,submit,start,continue,perform,apply",
            "ok,okay,all_right,alright,fine,good to run,send,go,proceed",
            "ok,okay,all_right,alright,fine,good with,for you", "is,does,are this,that,it * ... ?", "go ahead ?",
            "proceed ?", "^ (so) run,execute,send,continue,call,do (it,this,that) ?", "^ (do,you) want,need,like me to",
            "^ (so) ready to ... ?", "should,shall,may I,we ... this,that,it,these,the_call ... ?",
            "let me know if,whether,when I,this,that,you_want_me,it ... run,execute,should,okay,ok,right,correct,proceed,send,fine,good",
            "would that,this,it be ... ?",
        ),
        "de": ("soll,darf,kann ich ... ?",),
        "fr": ("^ je l'exécute,l'envoie,le_lance ?", "dois-je,puis-je,peux-je", "voulez-vous,veux-tu que"),
        "es": ("^ lo,la ejecuto,envío,hago ?", "quieres,desea,quiere que", "debo,puedo ... ?"),
        "pt": ("posso,devo ... ?", "quer que ... ?"),
        "it": ("posso,devo ... ?", "vuoi che ... ?"),
        "nl": ("zal,mag,moet ik ... ?",),
        "pl": ("czy mam",),
        "ru": ("выполнить,запустить,мне_сделать ... ?",),
        "zh": ("要,需要,可以 (我) ... 执行,執行,调用,運行,运行 ... 吗",),
        "ja": ("実行,送信 して (も) よろしい,いい,良い,よい", "実行,送信 しますか"),
        "ko": ("할까요,될까요",),
    },
    _LISTS,
)  # fmt: skip
"""Words of somebody who asks whether the call should be made."""
_AROUND = " *_)]\"'"
_AFTERWARDS = Phrases(
    {
        "en": (
            "also,afterwards,next,as_well,too,else,every,each,after,later,regularly,from_now_on,automatically,again,others",
        )
    }
)
"""What is asked for comes after the call."""


def is_for_later(sentence: str) -> bool:
    """Whether the sentence speaks of what comes after the call, and not of the call."""
    sentence = sentence.lower()
    return _AFTERWARDS.search(sentence) is not None or means(sentence, LATER)


def declines(sentence: str) -> bool:
    """Whether the sentence says that a call is not made, or not yet."""
    sentence = sentence.lower()
    if awaits_yes(sentence) or _IF_YOU_LIKE.search(sentence) is not None:
        return True
    if means(sentence, REVIEW) or means(sentence, BY_THE_READER, unless=NEGATED):
        return True
    if _refuses(sentence):
        return True
    said = _DECLINED.search(sentence) or _BROKEN_OFF.search(sentence)
    rest = "" if said is None else sentence[said.end() :]
    return said is not None and not acts(rest) and _BUT.search(rest) is None


def _refuses(sentence: str) -> bool:
    """Whether a part of the sentence refuses, and nothing is done in those after it."""
    parts = clauses(sentence)
    for place in range(len(parts)):
        if means(",".join(parts[: place + 1]), REFUSED):
            rest = parts[place + 1 :]
            return not any(acts(part) or _BUT.search(part) for part in rest)
    return False


def awaits_yes(sentence: str) -> bool:
    """Whether the sentence makes the call depend on what the reader says."""
    sentence = sentence.lower()
    if means(sentence, HANGS_ON_A_YES, unless=GRANTED):
        return _NEEDS_NO_YES.search(sentence) is None
    return _AWAITS_YES.search(sentence) is not None and _NEEDS_NO_YES.search(sentence) is None


def asks_leave(sentence: str) -> bool:
    """Whether the sentence asks the reader whether a call should be made."""
    sentence = sentence.lower()
    if is_for_later(sentence):
        return False
    if is_question(sentence) and means(sentence, LEAVE):
        return True
    return _ASKS.search(sentence) is not None or _is_short_question(sentence)


def is_question(sentence: str) -> bool:
    """Whether the sentence asks something, as its last sign or word says."""
    return sentence.rstrip(_AROUND + "。.").endswith(("?", "？", "か", "吗", "嗎", "까요"))


def _is_short_question(sentence: str) -> bool:
    """Whether a question has no room for anything but the call: "Right?", "Shall I?"."""
    if sentence.lstrip(_AROUND).startswith("why"):
        return False
    return sentence.rstrip(_AROUND).endswith("?") and sentence.isascii() and sentence.count(" ") < 3
