"""A sentence in, whether it speaks of calls as of texts out: examples, formats, somebody's words."""

from __future__ import annotations

from zkit.extract.around.meaning import SHOWN, is_told, means
from zkit.extract.around.phrases import Phrases

_LISTS = {
    "text": (
        "example,examples,sample_call,sample_calls,sample_reply,sample_output,sample_text,sample_data,snippet,"
        "snippets,template,templates,transcript,transcripts,excerpt,excerpts,listing,listings,illustration,"
        "demonstration,screenshot,quotation,draft,tutorial,tutorials,documentation,manual,manuals,readme,log,"
        "logs,trace,docs"
    ),
    "one": "a,an,one,another,some,such,typical,minimal,simple,short,complete,full,following,this,these,those",
    "gives": (
        "show,shows,showed,give,gives,contain,contains,contained,follow,follows,use,uses,look,looks,begin,begins,"
        "end,ends,hold,holds,below"
    ),
    "source": (
        "page,email,mail,e-mail,message,document,ticket,dump,paper,article,book,chapter,spec,specification,"
        "widget,history,prompt,file"
    ),
    "tells": (
        "show,shows,showed,reads,contain,contains,contained,says,said,hold,holds,begin,begins,end,ends,ended,"
        "print,prints,tries"
    ),
    "other": (
        "model,models,assistant,assistants,bot,bots,agent,agents,chatbot,chatbots,llm,llms,client,clients,server,"
        "servers,parser,parsers,grammar,user,users,attacker,intern,student"
    ),
    "others": "the,a,an,our,your,that,this,another,old,other,each,every,such_a,such_an,his,her,their,some",
    "does": (
        "would,will,can,may,might,must,should,write,writes,wrote,send,sends,sent,emit,emits,emitted,call,calls,"
        "called,invoke,invokes,reply,replies,replied,answer,answers,answered,say,says,said,produce,produces,"
        "produced,returns,returned,outputs,generate,generates,generated,choke,chokes,choked,see,sees,saw,fail,"
        "fails,failed,accept,accepts,allow,allows,expect,expects,reject,rejects,rejected,understands,spoke,typed,"
        "pasted,planted,posted,logged"
    ),
    "a": (
        "a,an,the,this,that,these,those,such,each,every,raw,expected,correct,valid,invalid,malformed,well-formed,"
        "first,second,old,original"
    ),
    "kind": "raw,ideal,typical,exact,perfect,expected,original,old,actual,final,complete,correct,whole,full,failed,wrong,invalid,model's,models",
    "call": "call,calls,invocation,tool_call,function_call",
    "reply": "output,reply,replies,response,answer,prompt,string,tag,token,format,form,shape,structure,text,request,words",
    "is": (
        "read,reads,is,was,are,were,look,looks,show,shows,made,has,had,would,must,should,can,begin,begins,start,"
        "starts,end,ends,contain,contains"
    ),
    "made": "ran,run,called,executed,sent,made,issued,invoked,wrote,used,tried",
    "look": (
        "grade,rate,judge,score,assess,evaluate,tokenize,tokenise,translate,consider,compare,fix,spot,find,review,explain,rewrite,correct,complete,read,take,note,imagine,"
        "suppose,assume,use,paste,send,copy,put,type,enter,insert,submit,try,save"
    ),
    "thing": (
        "call,calls,snippet,snippets,request,requests,line,lines,block,blocks,object,objects,json,text,texts,"
        "input,inputs,string,strings,message,messages,reply,replies,output,outputs,answer,answers,words,"
        "instruction,instructions"
    ),
    "show": (
        "show,showing,quote,quoting,explain,explaining,describe,describing,repeat,repeating,print,printing,"
        "display,displaying,illustrate,demonstrate,write_down,write_out,look_at,break_down,dissect"
    ),
    "hypothetical": "could,might,would",
}  # fmt: skip
_SHOWN = Phrases(
    {
        "en": (
            # an example, a format
            "for example,instance", "e.g", "notation,markup,few-shot,placeholder,placeholders,verbatim",
            "the syntax is,of,for", "^ (correct) syntax,usage", "{one} ~ {text}", "{text} ~ {gives}",
            "^ (the,a) first,second,third,next,last,another {text},message,line,row,entry,reply,turn",
            "^ (the) ({kind}) {text} #,of,from,for,only", "^ (the) ({kind}) {text} $", "figure,listing,table #",
            "{text} is,are below,attached,here,as_follows",
            "look,looks,looked (something) like this,so,that", "as shown,follows", "like this,so",
            "here's,here_is how,what,a,an,one,{text}", "this,that is,was what,how", "that's,this's what,how",
            "^ below is,are,you,we,follows", "^ attached is,are", "is,are below,attached $",
            # somebody's words
            "{others} ~ {other} ~ {does}", "from,of,by the,a,an,our,another ~ {other}",
            "the,a,an,our model's,assistant's,bot's,agent's,user's,attacker's,vendor's ~ {reply},{call},{thing},turn",
            "{source} ~ {tells},tells_me,asks_me,instructs,includes,hides", "hidden text,instruction,instructions", "exact words", "planted,injected,smuggled ~ instruction,text,line,command,prompt",
            "tried,tries,wants,wanted to make,trick,get me", "in,of,with,by this,that call,reply,request,snippet,invocation",
            # calls as such
            "{a} ({kind}) ({kind}) {call} {is}", "^ {a} ({kind}) ({kind}) {call},{reply} of,for,that,in,from,as",
            "^ {a} ({kind}) ({kind}) {reply} {is} ... this,below,so,here,as_follows,shown",
            "^ this,that,these,below,here is,are,was,were ~ ({kind}) {reply}",
            "^ this,that,it is,was ~ (wrong,invalid,valid,typical) call,test,draft,mock-up $",
            "^ this,that is,was the,your,my ({kind}) json,xml,yaml,text,message,string,code,snippet", "^ (tool,function) calls are,have,look,must,consist,begin,start,end",
            "is,are,was,were,be written,spelled,spelt,documented,formatted,encoded,rendered,wrapped",
            "the following request,reply,output,text,message,response,answer,call", "^ {a} {kind} {reply} is,was,would_be", "I've,I_have,we've,we_have drafted,written_down,attached,pasted,listed",
            "^ this,that,these,those {thing} was,were,failed,is,came,reads,has,did,would,must,looks,comes",
            # what was done, or could be
            "{made} this,these,the_following,the_same,that_call,that_one,that_request",
            "I,we (have,had) already {made} ~ call,this,that,it",
            "I,you,one,we,they {hypothetical} (also,just,then,now) call,write,send,use,run,invoke,say,answer,type",
            # who is told to look at it
            "{look} this,these,the_following", "{look} the next,text,line,reply,call,answer,output,error,bug,mistake",
            "asked (me,us) to {show},output,type,format,write", "asked (me,us) how,what", "wanted to see",
            "let_me,let's,i_can,i_should,i'll,i_will,we'll,i'm,i_am,i'd_like_to {show} ... {call},{reply},{text},syntax,how,what",
            # it points at what follows
            "{points} $", "{points} {thing} $",
            "print,wrote,write,posted,sent,said,answered,output,saw,received,got the following",
        ),
    },
    {**_LISTS,
    "points": "was_this,accepts_this,expects_this,sent_this,me_this,contains_this,contained_this,this_way,these_words,run_this,has_this,says_this,said_this,reads_this,wrote_this,gave_this,gives_this"},
)  # fmt: skip
"""Words for an example, for somebody else's words, and for calls as such."""
_CAPTION = Phrases(
    {
        "en": (
            "^ for (your,the) (later) reference,records,comparison,demonstration,illustration,documentation,completeness",
            "^ homework,exercise,quiz,question,puzzle #", "^ to illustrate,demonstrate", "^ (just,only) a,an ~ draft,sketch,mock-up,illustration", "^ not to be",
            "^ (the,an,a) (correct,expected,model) solution,screenshot,output,result,answer,quote (#) $",
            "^ (the,an,a) (correct,expected,model) solution,screenshot,output,result,answer,quote of,from,to,for,in ... $",
            "^ quoted,copied,taken,adapted,excerpted from", "^ from the,a,our,your ~ {text}", "^ draft",
            "^ output,outputs,response,input,wrong,right,good,bad,correct,incorrect,expected,before,after,old,original (*) :",
            "^ (and) the,its {reply} :", "^ (and) (the) {kind} {reply} :",
            "call,calls in the {text},{source},session,conversation", "^ as requested,promised,asked,agreed -- the,a,an,one ~ {text},{reply}",
        ),
    },
    _LISTS,
)  # fmt: skip
"""What stands above a text that is shown."""
_POINTS_AT = Phrases({"en": ("the following (*) $",
    "-ed,-s,found,saw,did,wrote,left,put,hid,hide,kept,held this in,into,inside,without,from,on,at,during", "with this $")})  # fmt: skip
"""How a whole sentence points at what stands below it; with a colon it may as well announce it."""
_WISHED = Phrases({"en": ("you,we,i", "want,wants,need,needs,require,requires,expects,asked_for")})
"""What somebody wishes is pointed at as well."""
_SHOWN_ELSEWHERE = Phrases(
    {
        "de": ("besteht aus", "lese,sehe ich :", "schreibt man", "zum beispiel", "(ein,das,dieses,folgendes) ~ beispiel-", "syntax,vorlage", "z. b.", "z.b.",
            "sieht,sähe,sah ... aus", "aussehen,aussähe",
            "das,der,ein,jedes,unser,dein,ihr ~ modell,bot,assistent,agent",
            "diese,dieser,diesen,dieses anfrage,zeile,text",
            "ich habe,hatte ... ausgeführt,aufgerufen,gesendet,gemacht",
            "habe,hatte ich ... ausgeführt,aufgerufen,gesendet,gemacht", "würde,könnte ... aufrufen,schreiben,senden"),
        "es": ("se escribe,ve", "ejemplo-,sintaxis", "p. ej", "el,un ~ modelo,asistente,agente,bot", "este,esta texto,línea",
            "ya ejecuté,llamé,envié,hice"),
        "fr": ("s'écrit,consiste", "se présente", "écrit alors", "exemple-,syntaxe", "par ex", "le,un,du,d'un ~ modèle,assistant,bot", "ci-dessous", "ressembl-", "j'ai déjà"),
        "pt": ("se escreve", "escreve-se", "exemplo-,sintaxe", "o ~ modelo,assistente,bot", "já executei,chamei,enviei"),
        "it": ("si scrive", "esempi-,sintassi", "il ~ modello,bot", "ho già"),
        "nl": ("voorbeeld-", "eruit ... zien", "eruitziet,eruitzien", "het,de ~ model,bot,assistent"),
        "pl": ("przykład-,składni-,wygląda-",),
        "ru": ("пример-,синтаксис-,модель,бот", "вот так,что,как", "уже выполнил-,вызвал-,отправил-"),
        "uk": ("приклад-",),
        "tr": ("örnek-,örneğ-",),
        "vi": ("ví dụ",),
        "id": ("contoh",),
        "el": ("παράδειγμα",),
        "cs": ("příklad-",),
        "sv": ("exempel-",),
        "da": ("eksempel-",),
        "fi": ("esimerk-",),
        "hu": ("példa",),
        "ro": ("exemplu",),
        "ar": ("مثال",), "he": ("דוגמה",), "hi": ("उदाहरण",), "th": ("ตัวอย่าง",),
        "zh": ("例如,示例,举例,舉例,例子,例:,例：,例は,例の,比如,用例,语法,語法,以下,如下,模型,机器人", "格式 如下,为,為,是,:,：", "这个,這個,该,該,此,上述 调用",
            "日志 内容,显示", "写,寫 着,著,道", "回答,回复,回覆,答案,输出 是,为,如,了", "已经 执行,调用,运行 过,了"),
        "ja": ("例えば,たとえば,構文,書式,モデル,書かれて,例です,例を示", "次の とおり,ように,呼び出し,出力,例", "と 答え,書い,言っ た,て,まし", "すでに,既に 実行,呼び出し"),
        "ko": ("예시,예를_들,예:,예：,문법,다음과_같,모델",),
    }
)  # fmt: skip
"""The same in other languages."""
_MENTIONED = Phrases(
    {
        "en": ("in,from,with,by,per,on,following,using,after,like,than,about,for,as_in,based_on,according_to,thanks_for,into the,your,our,my,its,her,his,their ~ {text}",
            "your ~ {text} is,was,helped,worked", "{text} shows,says,say,mentions,states,showed,said that",
            "^ this,that,it calls for"),
        "de": ("danke für das beispiel",
            "im,aus_dem,nach_dem,wie_im,in_ihrem,in_deinem,für_ihr,für_dein,für_das,im_obigen beispiel"),
        "fr": ("pour,dans,de,d'après,selon,comme_dans l'exemple,votre_exemple,ton_exemple,cet_exemple",),
        "es": ("por_el,en_el,en_tu,en_su,de_tu,de_su,según_el,según_tu ejemplo",),
        "pt": ("pelo,no,do,no_seu,do_seu exemplo",),
        "it": ("per_l',nell',dell',nel_tuo,del_tuo esempio",),
        "ru": ("за,в,по,из пример-", "ваш,вашему,вашем,вашего пример-"),
        "zh": ("您的,你的,谢谢,根据 ... 例子,示例", "昨天的示例"),
        "ja": ("の例では,例のように,例を探",),
    },
    _LISTS,
)  # fmt: skip
"""An example or a manual that something is taken from: it is not what follows."""


def shows(sentence: str) -> bool:
    """Whether the sentence announces an example, somebody's words, or a call as such."""
    sentence = sentence.lower()
    if _CAPTION.search(sentence) is not None or shown_elsewhere(sentence):
        return True
    if sentence.rstrip().endswith(".") and _points_at_it(sentence):
        return True
    if means(_MENTIONED.without(sentence), SHOWN) or is_told(sentence):
        return True
    return _SHOWN.search(_MENTIONED.without(sentence)) is not None


def _points_at_it(sentence: str) -> bool:
    return _POINTS_AT.search(sentence) is not None and _WISHED.search(sentence) is None


def shown_elsewhere(sentence: str) -> bool:
    """The same, of a sentence that is not English."""
    return _SHOWN_ELSEWHERE.search(_MENTIONED.without(sentence.lower())) is not None
