"""A sentence in, whether it speaks of calls as of texts out: examples, formats, somebody's words."""

from __future__ import annotations

from zkit.extract.around.phrases import compiled

_LISTS = {
    "text": "example,examples,sample_call,sample_calls,sample_reply,sample_output,sample_text,syntax,notation,markup,snippet,snippets,template,templates,transcript,transcripts,excerpt,excerpts,listing,listings,tutorial,tutorials,documentation,manual,manuals,readme,few-shot,placeholder,placeholders,verbatim",
    "source": "log,logs,transcript,trace,history,page,email,mail,e-mail,message,document,ticket,screenshot,dump,paper,article,book,chapter,spec,widget",
    "tells": "show,shows,showed,read,reads,contain,contains,contained,says,said,hold,holds,begin,begins,end,ends,print,prints,tries",
    "other": "model,models,assistant,assistants,bot,bots,agent,agents,chatbot,chatbots,llm,llms,client,clients,server,servers,parser,parsers",
    "others": "the,a,an,our,your,that,this,another,old,other,each,every,such_a,such_an,his,her,their",
    "does": "would,will,can,may,might,must,should,write,writes,wrote,send,sends,sent,emit,emits,emitted,call,calls,called,invoke,invokes,reply,replies,replied,answer,answers,answered,say,says,said,produce,produces,produced,return,returns,returned,output,outputs,generate,generates,generated,did,does,had,has,is,was,choke,chokes,choked,see,sees,saw,fail,fails,failed",
    "a": "a,an,the,this,that,these,those,such,each,every,raw,expected,correct,valid,invalid,malformed,well-formed,first,second,old,original",
    "kind": "raw,expected,original,old,actual,final,complete,correct,whole,full,failed,model's,models",
    "call": "call,calls,invocation,tool_call,function_call",
    "reply": "output,reply,replies,response,answer,prompt,string,tag,token,format,form,shape,structure",
    "is": "read,reads,is,was,are,were,look,looks,show,shows,made,has,had,would,must,should,can,begin,begins,start,starts,end,ends,contain,contains",
    "made": "ran,called,executed,sent,made,issued,invoked,wrote,used,tried",
    "look": "translate,consider,compare,fix,spot,find,review,explain,rewrite,correct,complete,read,take,note,imagine,suppose,assume",
    "thing": "call,calls,snippet,snippets,request,requests,line,lines,block,blocks,object,objects,json,text,texts,input,inputs,string,strings,message,messages",
}  # fmt: skip
_SHOWN = compiled(
    {
        "en": (
            "for example,instance", "e.g", "{text}", "figure,listing,table #", "look,looks,looked (something) like this,so,that", "as shown,follows", "like this,so",
            "the following request,reply,output,text,message,response,answer", "usage :", "^ output,outputs,response,input,wrong,right,good,bad,correct,incorrect,expected,before,after,old,original (*) :", "here's,here_is how,what,a,an", "this,that is,was what,how", "that's,this's what,how",
            "{others} ~ {other} ~ {does}", "from,of,by the,a,an,our,another ~ {other}", "{a} ({kind}) ({kind}) {call},{reply} {is}", "^ {a} ({kind}) ({kind}) {call},{reply} of,for,that,in,from", "^ this,that,these,below,here is,are,was,were ~ ({kind}) {reply}", "^ below is,are,you,we,follows", "is,are,was,were,be written,spelled,spelt,documented,formatted,encoded,rendered",
            "{source} {tells}", "{made} this,these,the_following,the_same,that_call,that_one,that_request", "{look} this,these", "{look} the following,next,text,line,reply,call,answer,output,error,bug,mistake",
            "this,these,those,that {thing}",
        ),
    },
    _LISTS,
)  # fmt: skip
"""Words for an example, for somebody else's words, and for calls as such."""
_SHOWN_ELSEWHERE = compiled(
    {
        "de": ("beispiel-,syntax,vorlage", "z. b.", "z.b.", "sieht,sähe ... aus", "aussehen,aussähe", "das,der,ein,jedes,unser,dein,ihr ~ modell,bot,assistent,agent", "diese,dieser,diesen,dieses anfrage,zeile,text"),
        "es": ("ejemplo-,sintaxis", "p. ej", "el,un modelo,asistente,agente,bot", "este,esta texto,línea"),
        "fr": ("exemple-,syntaxe", "par ex", "le,un,du,d'un modèle,assistant,bot", "ci-dessous", "ressembl-"),
        "pt": ("exemplo-,sintaxe", "o modelo,assistente,bot"), "it": ("esempi-,sintassi", "il modello,bot"), "nl": ("voorbeeld-", "eruit ... zien", "eruitziet,eruitzien", "het,de model,bot,assistent"), "pl": ("przykład-,składni-,wygląda-",),
        "ru": ("пример-,синтаксис-,модель,бот", "вот так,что,как"), "uk": ("приклад-",), "tr": ("örnek-,örneğ-",), "vi": ("ví dụ",), "id": ("contoh",), "el": ("παράδειγμα",), "cs": ("příklad-",), "sv": ("exempel-",), "da": ("eksempel-",), "fi": ("esimerk-",), "hu": ("példa",), "ro": ("exemplu",),
        "ar": ("مثال",), "he": ("דוגמה",), "hi": ("उदाहरण",), "th": ("ตัวอย่าง",),
        "zh": ("例如,示例,举例,舉例,例子,例:,例：,例は,例の,比如,用例,语法,語法,以下,如下,模型,机器人", "格式 如下,为,為,是,:,：", "这个,這個,该,該,此,上述 调用", "日志 内容,显示", "写,寫 着,著,道", "回答,回复,回覆,答案,输出 是,为,如,了"),
        "ja": ("例えば,たとえば,構文,書式,モデル,書かれて", "次の とおり,ように,呼び出し,出力,例", "と 答え,書い,言っ た,て,まし"),
        "ko": ("예시,예를_들,예:,예：,문법,다음과_같,모델",),
    }
)  # fmt: skip
"""The same in other languages."""


def shows(sentence: str) -> bool:
    """Whether the sentence announces an example, somebody's words, or a call as such."""
    return _SHOWN.search(sentence.lower()) is not None or shown_elsewhere(sentence)


def shown_elsewhere(sentence: str) -> bool:
    """The same, of a sentence that is not English."""
    return _SHOWN_ELSEWHERE.search(sentence.lower()) is not None
