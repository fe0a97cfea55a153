"""A sentence after a call in, whether it undoes the call out: taken back, not made, or only a text."""

from __future__ import annotations

from zkit.extract.around.acting import acts
from zkit.extract.around.declining import asks_leave, awaits_yes, is_for_later, is_question
from zkit.extract.around.meaning import CONDITION, PART_OF_IT, SPOKEN_OF, UNDONE, means
from zkit.extract.around.phrases import Phrases
from zkit.extract.around.showing import shown_elsewhere

_LISTS = {
    "drop": "ignore,disregard,forget,scratch,cancel,undo,discard,retract,withdraw,strike,revert,abort,void",
    "that": "that,this,it,these,those,them,my,both,the_above,the_call,the_last,the_previous,the_first,the_request",
    "it": "this,that,it,these,anything,the_call,tools",
    "call": "that,this,it,the_above,the_call,this_call,that_call,the_call_above,this_request,the_request",
    "aim": "path,file,city,tool,name,place,one,call,argument,arguments,id,folder,date,number,target,user,room,branch",
    "wrong": (
        "wrong,incorrect,mistaken,a_mistake,a_typo,a_slip,a_joke,a_test,an_error,an_accident,not_right,"
        "not_needed,not_necessary,not_meant"
    ),
    "slip": "mistake,error,typo,slip",
    "do": "run,execute,send,call,make",
    "done": "run,ran,execute,executed,send,sent,call,called,make,made,do,done,invoked,issued,submitted,performed",
    "stopped": (
        "blocked,cancelled,canceled,removed,rejected,refused,denied,withdrawn,stopped,skipped,deleted,retracted,"
        "suppressed,dropped,aborted,prevented,disabled"
    ),
    "text": (
        "snippet,syntax,format,formats,example,examples,sample,samples,tag,tags,markup,notation,listing,template,"
        "content,contents,text,string,output,reply,transcript,excerpt,quote,quotation,schema,grammar,structure,"
        "pattern,placeholder,fixture,illustration,draft"
    ),
    "part": "line,part,tag,token,bracket,brace,key,field,marker,closer,opener,word,string,element,attribute,block,half,json",
    "opens": (
        "open,opens,close,closes,name,names,hold,holds,contain,contains,specify,specifies,mark,marks,separate,"
        "separates,wrap,wraps,enclose,encloses,mean,means,denote,denotes,indicate,indicates,identify,identifies,"
        "carry,carries,stand_for,stands_for,begins,ends,starts,is,must,tells"
    ),
    "not": "not,never,not_yet",
}  # fmt: skip

# ── takes it back ────────────────────────────────────────────────────────────

_TAKEN_BACK = Phrases(
    {
        "en": (
            "{drop} {that}", "on second,further thought,thoughts", "on reflection", "I misread,misspoke,mistyped",
            "I changed my mind", "I take that,it back", "I made a,an ~ {slip}", "I didn't,did_not mean",
            "I shouldn't have",
            "^ oops,whoops", "^ my mistake,bad", "^ wait --", "^ no,stop $", "^ hm,hmm,oh,ah,er,uh -- no,wait,stop",
            "^ no,stop -- wait,that,this,it's,not,don't,scratch,I_meant,wrong,sorry,never",
            "^ actually no,not,wait,scratch,don't", "^ actually -- no,not,wait,scratch,don't,let's_not",
            "^ actually I don't,do_not,won't,should,meant,need_not",
            "^ actually -- I don't,do_not,won't,should,meant,need_not", "let me,us not", "let's not",
            "{call} is,was ~ {wrong}", "the {aim} is,was ~ {wrong}", "wrong {aim}", "no longer needed,necessary",
            "just kidding", "never mind $", "nevermind", "never mind --", "never mind that,it,this,the_call",
            "no (tool,function) call,calls is,are,was,were needed,necessary,required",
            "{call} ~ has_been,have_been,was,were,is,got {stopped}", "^ edit,correction,erratum --",
            "I decided against,not", "I'd,I_would rather not", "^ (but) better not", "^ but no,not",
            "^ but,however,unfortunately,sadly,alas ... not,no,forbidden,disabled,wrong,can't,cannot,won't,mustn't,isn't,unavailable",
            "^ but,however,unfortunately,sadly,alas -- ... not,no,forbidden,disabled,wrong,can't,cannot,won't,mustn't,isn't,unavailable",
            "tool,tools ~ disabled,unavailable,not_available,off,switched_off", "I have no tool,tools",
            "I don't have that,this,the,any tool,tools", "^ (the,this,that) call,request {stopped}",
        ),
        "de": ("bitte nicht beachten", "falsches fenster", "vergiss,vergesst,vergessen_sie,ignorier-,streich- das,es,den,die,bitte",
            "falsche,falscher,falsches,falschen ort,datei,pfad,stadt,aufruf", "doch nicht", "das war falsch",
            "das war ein fehler,irrtum,versehen"),
        "es": ("^ no -- espera,mejor,para", "olvídalo,olvídelo,ignóralo,ignórelo",
            "olvida,olvide,ignora,ignore,cancela,descarta eso,esto,lo,la,ese,esa,este,esta", "me equivoqu-"),
        "fr": ("oublie,oubliez,oublier,ignore,ignorez,annule,annulez ça,cela,cet,tout", "je me suis trompé,trompée",
            "finalement non"),
        "pt": ("esqueça,esquece,ignore,cancele isso,isto",),
        "it": ("dimenticalo,ignoralo,annullalo", "dimentica,ignora,annulla questo,questa,quello,quella"),
        "nl": ("vergeet,negeer dat,dit",),
        "pl": ("zapomnij,zignoruj,anuluj",),
        "ru": ("забудь-,забудт-,игнорируй-,отмени-", "я ошиб-"),
        "zh": ("忽略,弄错,错了,錯了,搞错,算了,作废",), "ja": ("無視して,間違えました,取り消し,やっぱり,やめて",), "ko": ("무시,취소,잘못",),
    },
    _LISTS,
)  # fmt: skip
"""Words that take a call back."""
_MAY_BE_DROPPED = Phrases({"en": ("you,we can,could,may,might ~ {drop}", "if")}, _LISTS)
"""What could be done about a call that was made."""

# ── says that it was not made ────────────────────────────────────────────────

_NOT_MADE = Phrases(
    {
        "en": (
            "I,we have,did,will,do not (yet,actually,really) {done} {it}",
            "I,we haven't,didn't,won't,don't (yet,actually,really) {done} {it}",
            "I've,we've not (yet,actually,really) {done} {it}", "^ {not} run,executed,sent,called,made",
            "nothing,no_call,no_tool,no_request ~ was,were,has_been,have_been,is,got {done}",
            "{call} was,is,were,has,have {not} (been) (actually) {done}",
            "{call} wasn't,isn't,hasn't (been) (actually) {done}",
            "I,we can't,cannot (actually) {do} {it}", "I'm,I_am,we_are not able,allowed to {do} {it}",
            "holding this,it back", "I,we did_not,didn't,won't,will_not,do_not,don't follow,obey,act_on", "do_not,don't,never {do} this,that,it", "only run this,it once,if,when,after",
            "not a (real) call", "^ (but) I,we won't,will_not,can't,cannot $",
            "^ (but) I,we won't,will_not,can't,cannot --",
        ),
        "de": ("nicht ausführen,ausgeführt,aufrufen,gesendet",),
        "fr": ("ne pas", "ne l'exécut-", "ne l'ai pas", "pas exécut-"),
        "es": ("no (lo,la) (he) ejecut-,llam-,enviado",),
        "pt": ("não (o,a) execut-",),
        "it": ("non (l'ho) esegu-",),
        "nl": ("niet uitvoer-,uitgevoerd",),
        "ru": ("не (был,было) выполн-",),
        "zh": ("不要,没有,未,没 执行,调用,发送",), "ja": ("実行していません,実行しません,実行しないで",), "ko": ("실행하지",),
    },
    _LISTS,
)  # fmt: skip
"""Words that say after a call that it was not made, or must not be."""

# ── speaks of it as of a text ────────────────────────────────────────────────

_SPOKEN_OF = Phrases(
    {
        "en": (
            # what it is
            "^ that,this,it is,was,would_be what,how", "^ that's,this's,it's what,how",
            "^ that,this,it is,was (only,just) a,an example", "^ that's,it's (only,just) a,an example",
            "^ that,this,it is,was only,just a,an", "^ that's,it's only,just a,an",
            "^ that,this,it,these,those is,was,are,were (only,just) the,a,an,my,your,its,what ~ {text}",
            "^ that's,it's the,a,an,my,your ~ {text}",
            "^ that,this,it is,was the ~ call that,which,he,she,they,the,I,you,we", "^ that,this,it was ~ call",
            "^ that's,that_is,this_is the end,whole,entire,complete,full", "^ that's,that_is all that,there_is",
            "^ end of", "^ snip,shortened,redacted,sic,emphasis ...", "^ author,by,via,from --",
            "^ -ed,written,sent,found,seen,shown by,from,on,in,via *", "^ that's,it's how",
            "^ (only) (for) (a,an) {text} (only) $", "the above", "exact words", "^ that,this,it is,was ~ prompt_injection,injection,attack", "injection attempt", "^ (end_of) quote,quoted", "^ {stopped} $",
            # where it is from
            "^ that,this,it is,was the ~ line,entry,row,record", "^ each,every field,argument,parameter,key,value",
            "^ see (also) section,chapter,page,appendix,figure", "for this,that answer,reply,output,completion",
            "your own values,arguments,parameters", "^ this,that,the string,text,line,token,block,snippet,output is,was what",
            "^ simulated,hypothetical,fictional,fictitious,mocked", "^ source,sources,credit,caption,above,below --", "^ this,that,it is,was from",
            "^ (that,this,it) (was,is) (taken,copied,quoted,pasted,adapted,reproduced,excerpted) from the,a,an,our,your,this,that * $",
            "^ (that,this,it) (was,is) taken,copied,quoted,pasted,adapted,reproduced,excerpted",
            "^ the,this,that call,request (above) is,comes,stems (only,just,taken,copied,quoted) from,in,part_of",
            # what became of it, or would
            "^ the,this,that call,request (above) failed,broke,did,came,would,might,could,had",
            "^ the,this,that call,request (above) was logged,recorded,part,the,a,an,from",
            "^ the,this,that call,request (above) was made,sent,issued,executed,run by,in,at,on,yesterday,earlier,last",
            "^ that,this would",
            "^ it,that,this,the_result (ran,failed,returned,worked,broke,crashed,gave,printed,took,came,stopped,didn't,did_not,was_tried,has_been_tried) ~ $",
            "^ it,that,this ran,failed,crashed,broke,didn't_work,did_not_work,has_been_tried,was_tried",
            "^ already done", "^ done already,yesterday,before,earlier", "^ the result was",
            "^ it,that,this returned,gave,printed * ~ $", "ran,sent,tried,executed,did (me,us) this,that,it",
            "wrote,found,saw,posted,typed,pasted (me,us) this,it",
            "I've,I_have,we've,we_have (already) done,tried,run,sent this,that,it", "I was about to",
            "I,we nearly,almost", "I'd,I_would,I_could (do,send,run,call,make,use,write) this,that,it",
            "the example helps,is_clear", "this,that,the example,format,syntax,pattern is,helps",
            "^ it would ~ return,be_my,be_the,turn,give,show,send,delete,create,make",
            # what it is made of
            "the,this,that,these,those,such (above,first,raw,whole,last) snippet,syntax,format,example,examples,tag,tags,markup,notation,listing,template",
            "tag,block,object,json,string,token,reply,output above",
            "the first,second,third,last,next,opening,closing,outer,inner {part} ~ {opens}",
            "the {part} before,after,between,inside,within ... {opens}",
            "^ the ~ tag,token,json,bracket,field,key,marker {opens}", "^ where * is,are",
            "^ here * is,are,holds,names,stands", "^ every,each,any,all call,calls,line,lines",
            "(only) one call per,is_allowed", "keys,arguments,values,fields,parameters,quotes,tags must,may,can,should",
            "keys,arguments,values,fields,parameters,quotes,tags are,is passed,written,required,optional,separated",
            "^ * is,are required,mandatory,optional,the_name,the_tool,passed_as", "^ the value,order,type of",
            "^ calls are,have,must,look",
            # what the reader may do with it
            "copy this,it", "copy and paste", "run this yourself", "^ replace * ... with",
            "^ (now) put,paste,save,insert,store,add this,it,that in,into,as,to,at",
            "^ find,spot,fix the error,mistake,bug,typo", "^ fix it,this,that $",
            "^ (just,now,please,simply) adjust,change,fill_in,insert,replace,adapt,edit,modify,tweak",
            "^ don't,do_not add,put,write,change", "feel free to copy,adapt,use,change,edit,reuse", "^ (now) try it,this (yourself)", "^ (now) you try",
            "make_sure,ensure,remember,don't_forget,mind,pay_attention ... tag,tags,quotes,bracket,brackets,comma,json,key,keys,closing",
            "as you can see", "^ (please) note,notice,observe how,the",
            "you can,could,should,must,may,need_to (now,then,also) adapt,copy,paste,replace,send,write,call,run this,that,it",
            "^ can,could,do,did,will,would,should,may,might,is,am,does ~ this,that,it,these ... ?",
            "^ (and,so) what,how,who,why ... this,that,it,these,reply,call,format ... ?",
            "(do,can,did) (you) see,spot the,a difference,pattern,error,mistake,bug ... ?",
            "asked,wants_to_know,wonder,wonders what this,that", "parse,wrong,valid,correct,missing ... ?",
        ),
        "zh": ("这,那,上面,以上 (就,只) 是 ... 格式,例子,示例,语法,内容,写法", "调用的格式,的写法"),
        "ja": ("これ,それ,上記,以上 は ... 例,書式,形式,構文", "この,その 文字列,形式,書式,例,タグ", "に すぎません,過ぎません"),
        "ko": ("이것은,위는 ... 예시,형식",),
    },
    _LISTS,
)  # fmt: skip
"""Words about a call that has just been shown."""
_QUIZ = Phrases({"en": ("^ (and,so,but) what's,what,why,which,how,who ... ?",)})
"""A question about facts."""
_YOU = Phrases({"en": ("you,your,I,me,my,we,us,our,else,about",)})
"""Somebody whom it concerns: the question is no riddle about the call."""


def takes_back(sentence: str) -> bool:
    """Whether the sentence after a call says that it shall not be made, or not be made yet."""
    sentence = sentence.lower()
    if means(sentence, UNDONE, unless=CONDITION):
        return True
    undone = _TAKEN_BACK.search(sentence)
    if undone is not None and _MAY_BE_DROPPED.search(sentence) is None:
        return True
    return _NOT_MADE.search(sentence) is not None or asks_leave(sentence) or awaits_yes(sentence)


def speaks_of(sentence: str) -> bool:
    """Whether the sentence after a call speaks of it as of a text."""
    sentence = sentence.lower()
    if acts(sentence):
        return False
    if "?" in sentence and is_for_later(sentence):
        return False
    if means(sentence, PART_OF_IT if is_question(sentence) else SPOKEN_OF):
        return True
    if _QUIZ.search(sentence) is not None and _YOU.search(sentence) is None:
        return True
    return _SPOKEN_OF.search(sentence) is not None or shown_elsewhere(sentence)
