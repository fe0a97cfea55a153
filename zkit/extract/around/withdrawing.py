"""A sentence after a call in, whether it undoes the call out: taken back, not made, or only a text."""

from __future__ import annotations

from zkit.extract.around.declining import asks_leave, awaits_yes
from zkit.extract.around.phrases import compiled
from zkit.extract.around.showing import shown_elsewhere

_LISTS = {
    "drop": "ignore,disregard,forget,scratch,cancel,undo,discard,retract,withdraw,strike,revert,abort,void",
    "that": "that,this,it,these,those,them,my,both,the_above,the_call,the_last,the_previous,the_first,the_request",
    "it": "this,that,it,these,anything,the_call",
    "call": "that,this,it,the_above,the_call,this_call,that_call,the_call_above,this_request,the_request",
    "aim": "path,file,city,tool,name,place,one,call,argument,arguments,id,folder,date,number,target,user,room,branch",
    "wrong": "wrong,incorrect,mistaken,a_mistake,a_typo,a_slip,a_joke,a_test,an_error,an_accident,not_right,not_needed,not_necessary,not_meant",
    "slip": "mistake,error,typo,slip",
    "do": "run,execute,send,call",
    "done": "run,ran,execute,executed,send,sent,call,called,make,made,do,done",
    "stopped": "blocked,cancelled,canceled,removed,rejected,refused,denied,withdrawn,stopped,skipped,deleted,retracted,suppressed,dropped,aborted,prevented,disabled",
    "text": "snippet,syntax,format,formats,example,examples,sample,samples,tag,tags,markup,notation,listing,template,content,contents,text,string,output,reply,transcript,excerpt,quote,quotation,schema,grammar,structure,pattern,placeholder,fixture",
    "part": "line,part,tag,token,bracket,brace,key,field,marker,closer,opener,word,string,element,attribute,block,half",
    "opens": "open,opens,close,closes,name,names,hold,holds,contain,contains,specify,specifies,mark,marks,separate,separates,wrap,wraps,enclose,encloses,mean,means,denote,denotes,indicate,indicates,identify,identifies,carry,carries,stand_for,stands_for,begins,ends,starts,is,tells",
}  # fmt: skip
_TAKEN_BACK = compiled(
    {
        "en": (
            "{drop} {that}", "on second,further thought,thoughts", "on reflection", "I misread,misspoke,mistyped", "I changed my mind", "I take that,it back", "I made a,an ~ {slip}", "I didn't,did_not mean", "I shouldn't have",
            "^ oops,whoops", "^ my mistake,bad", "^ no,wait,hold_on,stop --", "^ actually no,not,wait,scratch", "^ actually -- no,not,wait,scratch", "^ actually -- I don't,do_not,won't,should,meant,need_not", "^ actually I don't,do_not,won't,should,meant,need_not",
            "{call} is,was ~ {wrong}", "the {aim} is,was ~ {wrong}", "wrong {aim}", "no longer needed,necessary", "just kidding", "never mind,mind_that,mind_the_call $", "nevermind", "never mind --", "never mind that,it,this,the_call",
            "no (tool,function) call,calls is,are,was,were needed,necessary,required", "{call} ~ has_been,have_been,was,were,is,got {stopped}", "^ edit,correction,erratum,update -- ~ {stopped}",
        ),
        "de": ("vergiss,vergesst,vergessen_sie,ignorier-,streich- das,es,den,die,bitte", "falsche,falscher,falsches,falschen ort,datei,pfad,stadt,aufruf", "doch nicht", "das war falsch", "das war ein fehler,irrtum,versehen"),
        "es": ("olvídalo,olvídelo,ignóralo,ignórelo", "olvida,olvide,ignora,ignore,cancela,descarta eso,esto,lo,la,ese,esa,este,esta", "me equivoqu-"),
        "fr": ("oublie,oubliez,oublier,ignore,ignorez,annule,annulez ça,cela,cet,tout", "je me suis trompé,trompée", "finalement non"),
        "pt": ("esqueça,esquece,ignore,cancele isso,isto",), "it": ("dimenticalo,ignoralo,annullalo", "dimentica,ignora,annulla questo,questa,quello,quella"), "nl": ("vergeet,negeer dat,dit",), "pl": ("zapomnij,zignoruj,anuluj",), "ru": ("забудь-,забудт-,игнорируй-,отмени-", "я ошиб-"),
        "zh": ("忽略,弄错,错了,錯了,搞错,算了,作废",), "ja": ("無視して,間違えました,取り消し,やっぱり,やめて",), "ko": ("무시,취소,잘못",),
    },
    _LISTS,
)  # fmt: skip
"""Words that take a call back."""
_MAY_BE_DROPPED = compiled({"en": ("you,we can,could,may,might ~ {drop}", "if")}, _LISTS)
"""What could be done about a call that was made."""
_NOT_MADE = compiled(
    {
        "en": (
            "I,we have,did,will,do not (yet,actually,really) {done} {it}", "I,we haven't,didn't,won't,don't (yet,actually,really) {done} {it}", "I've,we've not (yet,actually,really) {done} {it}", "^ not,never (yet) run,executed,sent,called,made",
            "I,we can't,cannot (actually) {do} this,that,it", "holding this,it back", "do_not,don't,never {do} this,that,it", "only run this,it once,if,when,after", "not a (real) call", "^ (but) I,we won't,will_not,can't,cannot $", "^ (but) I,we won't,will_not,can't,cannot --",
        ),
        "de": ("nicht ausführen,ausgeführt,aufrufen",), "fr": ("ne pas", "ne l'exécut-"), "es": ("no (lo,la) ejecut-,llam-",), "pt": ("não execut-",), "it": ("non esegu-",), "nl": ("niet uitvoer-",), "ru": ("не выполн-",),
        "zh": ("不要,没有,未 执行,调用",), "ja": ("実行していません",), "ko": ("실행하지",),
    },
    _LISTS,
)  # fmt: skip
"""Words that say after a call that it was not made, or must not be."""
_SPOKEN_OF = compiled(
    {
        "en": (
            "the,this,that,these,those,such (above,first,raw,whole,last) snippet,syntax,format,example,examples,tag,tags,markup,notation,listing,template", "tag,block,object,json,string,token,reply,output above", "exact words", "^ (end_of) quote,quoted", "copy this,it into", "run this yourself", "the above",
            "parse,wrong,valid,correct,missing ... ?", "^ that,this,it is,was,would_be what,how", "^ that's,this's,it's what,how", "^ that,this,it is,was,would_be (only,just) a,an example", "^ that's,it's (only,just) a,an example", "^ that,this,it is,was,would_be only,just a,an", "^ that's,it's only,just a,an",
            "^ that,this,it,these,those is,was,are,were,would_be (only,just) the,a,an,my,your,its,what ~ {text}", "^ that's,it's the,a,an,my,your ~ {text}", "^ that,this,it is,was,would_be the ~ call that,which,he,she,they,the,I,you,we", "^ that,this,it was,would_be the call", "^ source,sources,credit,caption --", "^ can,could,do,did you spot,see,find,read,parse ... ?",
            "as you can see", "note how,the", "you can,could,should,must,may,need_to (now,then) adapt,copy,paste,replace,send,write,call,run this,that,it",
            "the first,second,third,last,next,opening,closing,outer,inner {part} ~ {opens}", "the {part} before,after,between,inside,within ... {opens}", "^ the,this,that call,request (above) is,was,comes,came,stems (only,just,taken,copied,quoted) from,in,part_of", "^ the,this,that call (above) would,might,could",
        ),
        "zh": ("这,那,上面,以上 (就) 是 ... 格式,例子,示例,语法,内容,写法", "调用的格式,的写法"), "ja": ("これ,それ,上記,以上 は ... 例,書式,形式,構文", "この,その 文字列,形式,書式,例,タグ", "に すぎません,過ぎません"), "ko": ("이것은,위는 ... 예시,형식",),
    },
    _LISTS,
)  # fmt: skip
"""Words about a call that has just been shown: what it is, what it is made of, where it is from."""
_GOES_ON = compiled({"en": ("I'll,we'll", "I,we will,shall", "let me,us")})
"""Somebody goes on with the task."""


def takes_back(sentence: str) -> bool:
    """Whether the sentence after a call says that it shall not be made, or not be made yet."""
    sentence = sentence.lower()
    undone = _TAKEN_BACK.search(sentence)
    if undone is not None and _MAY_BE_DROPPED.search(sentence) is None:
        return True
    return _NOT_MADE.search(sentence) is not None or asks_leave(sentence) or awaits_yes(sentence)


def speaks_of(sentence: str) -> bool:
    """Whether the sentence after a call speaks of it as of a text."""
    sentence = sentence.lower()
    if _GOES_ON.search(sentence) is not None:
        return False
    return _SPOKEN_OF.search(sentence) is not None or shown_elsewhere(sentence)
