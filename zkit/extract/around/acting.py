"""A sentence before a call in, whether somebody acts in it out: says what they do now, or next."""

from __future__ import annotations

import re

from zkit.extract.around.announcing import (
    after_courtesies,
    announces,
    announces_words,
    gives_order,
    leads_on,
    says_ready,
    step_in,
)
from zkit.extract.around.deeds import announces_deed
from zkit.extract.around.meaning import ONESELF, TAUGHT, TOLD, means
from zkit.extract.around.phrases import Phrases
from zkit.extract.around.showing import shown_elsewhere, shows

_LISTS = {
    "show": (
        "show,explain,demonstrate,illustrate,describe,quote,cite,paste,repeat,summarise,summarize,present,walk,"
        "tell,say,recap,discuss,document,annotate,imagine,assume,suppose,pretend,consider,give,provide,reproduce,"
        "include,write_down,write_out,propose,suggest,recommend,draft,spell,break_down,dissect,leave,write_it,prepare_it,"
        "prepare_the_call,only_show,teach,take_apart,take_one_apart"
    ),
    "adverb": (
        "now,just,first,also,quickly,try_to,go_ahead_and,then,again,simply,next,briefly,please,only,really,"
        "directly,immediately,still,gladly"
    ),
}  # fmt: skip

# ── somebody who does something ──────────────────────────────────────────────

_FIRST_PERSON = Phrases(
    {
        "en": (
            "I'll,we'll", "I,we will,shall", "I,we ({adverb}) need,have,want,ought,intend,plan to",
            "I,we ({adverb}) need", "I,we should,must,can",
            "I'd,we'd like to", "I've,I_have,we've,we_have decided to", "I,we now",
            "I'm,we're,I_am,we_are ({adverb}) going,about,trying to", "I'm,we're,I_am,we_are ~ -ing",
            "let me,us", "^ (ok,okay,so) gonna,imma", "lemme", "let's", "I'd,I_would be glad,happy to", "allow me to",
        ),
    },
    _LISTS,
)  # fmt: skip
"""The first person, up to the verb that says what it does."""
_FIRST_PERSON_ELSEWHERE = Phrases(
    {
        "de": ("wird,werden abgerufen,abgefragt,geprüft,ausgeführt,gesucht,geladen,gesendet,angelegt,erstellt,gelöscht,gespeichert,aktualisiert,durchsucht,gestartet,verschickt,gelesen,gebucht,geöffnet",
            "hier ist,kommt der,mein aufruf", "^ werkzeugaufruf,funktionsaufruf,aufruf :", "ich,wir",
            "lass,lasst,lassen_sie mich,uns"),
        "fr": ("voici l'appel", "^ appel de_l'outil,de_fonction,d'outil :", "en cours", "j'ai besoin", "je,j'",
            "laisse-moi,laissez-moi,permettez-moi,permets-moi,laisse_moi,laissez_moi", "voyons,allons", "nous -ons"),
        "es": ("aquí está,va la llamada", "^ llamada a_la_herramienta,a_la_función,de_herramienta :", "^ -ando,-iendo,-yendo",
            "^ (ahora) reintento,repito,pruebo,intento,procedo :", "^ vuelvo,paso,empiezo,comienzo a,por", "voy,vamos a", "déjame,déjeme,permítame,permíteme", "estoy -ndo",
            "procedo,consulto,busco,reviso,compruebo,ejecuto,llamo,miro,empiezo,comienzo,hago,uso,necesito"),
        "pt": ("aqui está a chamada", "^ -ando,-endo,-indo", "^ (agora) tento,repito,reenvio,retomo,prossigo ... :", "deixa eu", "vou", "deixe-me,deixa-me,permita-me",
            "estou -ndo,a", "consulto,verifico,procuro,executo,começo,faço,preciso"),
        "it": ("^ (ora) riprovo,ritento,ripeto,provo,tento,reinvio,procedo ... :", "^ -ando,-endo", "ecco la chiamata", "controllo,cerco,verifico,procedo,eseguo,chiamo,faccio,comincio,inizio", "vado a",
            "lasciami,fammi,mi_lasci", "sto -ndo"),
        "nl": ("ik", "laat me,mij,ons"), "sv": ("jag", "låt mig"), "da": ("jeg", "lad mig", "la meg"),
        "ru": ("^ вызов инструмента,функции :", "мне нужно,нужна,нужен,нужны", "давайте,сейчас",
            "^ (я) (сейчас,теперь,тогда,снова,сначала,поэтому,затем,ещё_раз,лучше) -аю,-яю,-ирую,-ьзую,-бую,-лю,смотрю",
            "я -аю,-яю,-ирую,-ьзую,-бую,-лю", "сделаю,посмотрю,проверю,вызову,найду,узнаю,запрошу,поищу,выполню,ищу"),
        "uk": ("зараз,перевірю,подивлюся",),
        "pl": ("zaraz,pozwól,sprawdzam,szukam", "-ę,-uję,-iam"), "cs": ("podívám,zkontroluji,zjistím,ověřím,spouštím",),
        "tr": ("-ıyorum,-iyorum,-uyorum,-üyorum,-acağım,-eceğim,-ayım,-eyim",),
        "id": ("saya akan", "mari kita", "biar saya"),
        "vi": ("tôi sẽ", "để tôi"),
        "fi": ("tarkistan,katson,haen",),
        "zh": ("先 调用,查询,执行,看",
            "我,我们,我們 (现在,現在,这就,這就,马上,馬上,先,就,再) (先,就,再) 来,來,再,把,给,重新,立即,直接,用,换,打开,发,试,取,删,写,读,存,改,订,更新,创建,会,會,将,將,去,要,需要,帮,幫,查,看,调用,調用,执行,執行,使用,正在",
            "让我,讓我,正在,稍等,马上,馬上", "现在,現在 查,看,调,調,执,執,开,開"),
        "ja": ("送り,試し,保存し,作り,消し,直し,追加し,削除し,予約し,書き込み,始め,お送りし,いたし,進め,設定し,変更し ます",
            "確認,検索,実行,取得,処理 中", "使い,使用し,開き,読み,送信し,作成し,更新し ます",
            "調べ,お調べし,確認し,検索し,取得し,実行し,呼び出し,見てみ,探し,やってみ (てみ) ます,ましょう,ています",),
        "ko": ("가져옵니다,보냅니다,찾습니다,저장합니다,만듭니다,전송합니다,생성합니다,삭제합니다,진행합니다,시작합니다,시도합니다,설정합니다,변경합니다,수정합니다,추가합니다,끕니다,켭니다,봅니다",
            "검색,확인,실행,조회 중", "실행합니다,호출합니다,조회합니다,확인합니다,검색합니다,겠습니다,할게요,볼게요,올게요,갈게요", "하는 중", "중입니다"),
        "ar": ("سأ,سن,دعني,دعنا",),
        "hi": ("मैं ... हूँ,हूं,ूँगा,ूंगा,ूंगी", "देखता हूँ"),
        "he": ("אני בודק,אבדוק,מחפש", "תן לי"),
    }
)  # fmt: skip
_NOT_DOING = Phrases(
    {
        "en": ("^ ({adverb}) ({adverb}) not,never,{show}", "^ have", "^ know if,whether,when",
            "^ ({adverb}) read,see (the) following,this", "^ ({adverb}) read,see :",
            "^ ({adverb}) look_at,go_over how,what",
            "^ ({adverb}) use,take,look_at,see,make ~ example,examples,sample,samples"),
        "de": ("^ habe,hatte,würde,könnte,hätte,zeige,erkläre,zitiere,gebe,nenne,bringe,haben,hatten,würden,könnten",
            "^ ... nicht,nie,niemals,kein,keine,keinen"),
        "fr": ("^ lis,vois (ceci) :", "^ vais montrer,citer,expliquer,donner", "^ n',ne,ai,donne,avais,aurais,pourrais,voudrais,montre,cite",
            "^ vous,te montre,cite", "^ (vous) l'ai,t'ai,l'avais"),
        "es": ("^ mostrar,explicar,citar,dar,poner",),
        "it": ("^ mostrare,spiegare,citare,dare",),
        "nl": ("^ heb,had,zou", "^ ... niet"),
        "sv": ("^ har,hade,skulle",),
        "da": ("^ havde,hadde,ville",),
        "zh": ("^ 了,过,出了,送了,送过,完了", "^ 不,没,沒,解释,展示,说明,举,给您看,给你看,教,讲,介绍,演示,引用,建议,认为,觉得"), "ja": ("^ か",),
    },
    _LISTS,
)  # fmt: skip
"""What may follow it when nothing is done: a verb of showing, a negation, what is past or only possible."""
_SHOWING = ("showing", "quoting", "explaining", "describing", "repeating", "citing", "waiting", "thinking", "planning", "considering")  # fmt: skip
"""What somebody is doing who does not act."""
_TURNED_ROUND = Phrases({"de": ("habe,hatte,würde,könnte,haben,hatten $",)})
"""The same before it, in a language that turns the two round."""
_IN_O = re.compile(
    r"\W*+(?:(?:ahora|ora|adesso|agora|primero|prima|primeiro|entonces|quindi|então|poi|luego|lo|la|los|las|le|li|te|ti|vi|ci|ne|se|o|a|eu|yo|io)\s++)*+[^\W\d_]{3,30}(?<=o)\s++(?:l['’]|(?:el|la|los|las|lo|il|gli|le|un|una|uno|o|os|as|um|uma|tu|su|mi|sus|tus|i|a(?!\s++\w++(?<=r)\b)|de\s++nuevo|de\s++novo|di\s++nuovo|otra\s++vez|outra\s++vez|ancora|subito|agora|ahora|adesso|ora)(?!\w))"
)  # fmt: skip
"""The first person as languages from Latin end it, before what it does something to."""
_IT_IN_O = re.compile(
    r"\W*+(?:(?:ahora|ora|adesso|agora|quindi|entonces|então)\s++)*+(?:lo|la|los|las|li|le|te|ti)\s++"
    r"(?P<verb>[^\W\d_]{4,30})(?<=o)\s*+:"
)
"""The same before a colon, with a pronoun for what it does something to."""
_NO_VERBS = frozenset(["mismo", "stesso", "primo", "primero", "último", "ultimo", "único", "nuevo", "nuovo", "foto", "moto", "radio", "mano", "scopo", "studio", "texto", "testo"])  # fmt: skip
"""Words in "-o" that follow an article."""
_SELF = re.compile(
    r"\W*+(?:(?:and|so|but|then|thus|which|that|therefore|hence|for that|for this|to do so)\s++)*+(?:i|we)\s++"
    r"(?:(?:now|just|only|then|also|therefore|almost|\w++(?<=ly))\s++)*+(?=\w)"
)
"""The first person at the beginning of a clause, up to its verb."""
_NOT_NOW = Phrases(
    {
        "en": (
            "^ am,are,was,were,did,had,have,has,would,could,might,may,ran,sent,wrote,made,said,told,got,took,saw,"
            "found,gave,knew,thought,meant,read,know,remember,recall,mean,see,think,believe,guess,suppose,assume,"
            "imagine,get,receive,quote,write,show,explain,usually,often,never,always,already,once,earlier,"
            "previously,just,recently,don,didn,propose,suggest,recommend,expect,assert,wish,plan,want,hope,like,"
            "cannot,can,will,shall,should,must,wait,hesitate,hold,refuse,stop,decline",
            "^ -ed",
        )
    }
)  # fmt: skip
"""Words after "I" that do not say what is done now: what is past, thought, wished or only possible."""
_NOW = Phrases({"en": ("^ need,proceed,feed,speed,succeed",)})
"""Words that only look like it."""

# ── a line that says what is done, and not by whom ───────────────────────────

_ING = re.compile(r"\W*+[a-z]{2,}ing\b")
"""What is being done, without a word of who does it: "Looking it up"."""
_NO_DEEDS = Phrases(
    {
        "en": (
            "^ following,according,regarding,concerning,depending,being,having,nothing,something,anything,"
            "everything,during,string,warning,missing,listing,meaning,bring,king,thing,quoting,citing,showing,"
            "heading,assuming,supposing,existing,including",
        )
    }
)  # fmt: skip
"""Words that end like it and do not say what is done."""
_FINITE = Phrases(
    {
        "en": (
            "is,are,was,were,be,look,looks,give,gives,gave,print,prints,printed,produce,produces,return,returns,"
            "returned,result_in,results_in,yield,yields,work,works,would,could,might,should,must,mean,means,show,"
            "shows,failed,fails,had,did,does,has,require,requires,need,needs",
        )
    }
)  # fmt: skip
"""A verb that makes a statement of such a line."""
_FOR_THE_READER = Phrases(
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
_CLAUSE = re.compile(r"[,;，；—–]")
"""What somebody does stands in the last part of the sentence before a call."""


def acts(sentence: str) -> bool:
    """Whether somebody says here what they do next."""
    sentence = sentence.lower().rstrip()
    step = step_in(sentence)
    if step is not None and gives_order(step):
        return True
    sentence = sentence if step is None else step
    if _FOR_THE_READER.search(sentence) is not None:
        return False
    if announces(sentence):
        return True
    clause = _CLAUSE.split(sentence)[-1]
    if means(sentence, TAUGHT) or _told(sentence, clause):
        return False
    if leads_on(clause) or (leads_on(sentence) and not shows(clause)) or says_ready(sentence):
        return True
    if announces_deed(sentence) or announces_deed(clause):
        return not shows(sentence)
    return _done_by(_FIRST_PERSON, sentence) or _done(sentence, clause)


def _told(sentence: str, clause: str) -> bool:
    """Whether words are announced, or somebody else acts, and not the one who writes."""
    if _is_deed(sentence):
        return False
    if announces_words(sentence):
        return True
    return means(clause, TOLD) and not means(clause, ONESELF)


def _done(sentence: str, clause: str) -> bool:
    """Whether something is done in a sentence, or in its last clause."""
    for part in (sentence, clause):
        if _is_deed(part):
            return _FINITE.search(part) is None and not shows(part)
    end = sentence[-1:]
    if end in "?？" or (end in ":：" and shown_elsewhere(clause)):
        return False
    if _does_in_o(clause) and not shows(sentence):
        return True
    return _done_now(clause) or _done_by(_FIRST_PERSON_ELSEWHERE, clause)


def _does_in_o(clause: str) -> bool:
    """Whether a clause begins with a verb of the first person that ends in "-o"."""
    if _IN_O.match(clause) is not None:
        return True
    found = _IT_IN_O.match(clause)
    return found is not None and found["verb"] not in _NO_VERBS


def _done_by(person: Phrases, text: str) -> bool:
    """Whether somebody who speaks of himself does something, and does not show it or leave it."""
    return any(
        _NOT_DOING.match(text[who.end() :]) is None
        and not who.group().endswith(_SHOWING)
        and _TURNED_ROUND.search(text[: who.start()]) is None
        for who in person.finditer(text)
    )


def _done_now(clause: str) -> bool:
    """Whether a clause begins with "I" and a verb of the present."""
    who = _SELF.match(clause)
    if who is None:
        return False
    verb = clause[who.end() :]
    return _NOW.match(verb) is not None or _NOT_NOW.match(verb) is None


def _is_deed(text: str) -> bool:
    """Whether a text begins with what is being done."""
    text = after_courtesies(text)
    return _ING.match(text) is not None and _NO_DEEDS.match(text) is None
