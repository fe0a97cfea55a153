"""A line before a call in, whether it tells what is done without a word of who does it, out.

The number of a step, what was agreed or asked for, another attempt, a deed that is only named.
"""

from __future__ import annotations

from zkit.extract.around.phrases import Phrases

_LISTS = {
    "again": "new,different,other,fresh,second,third,next,another,better,further,final,last",
    "try": "attempt,try,go,shot,run,approach,way,route,idea",
    "fixed": "fixed,corrected,adjusted,updated,revised,repaired,amended,resolved",
    "asked": "requested,asked,agreed,discussed,promised,instructed,wished,ordered,told,planned,directed,wanted,announced,arranged,you_asked,you_wish,you_requested",
    "wish": "request,requests,instruction,instructions,wish,wishes,order,orders,agreement,plan,message",
}  # fmt: skip
_STEP = Phrases(
    {
        "en": ("^ step,phase,stage # $", "^ (the) first,second,third,fourth,next,last,final step $"),
        "de": ("^ schritt,phase # $", "^ (der) erster,zweiter,dritter,vierter,nächster,letzter schritt $"),
        "fr": ("^ étape,etape,phase # $", "^ première,deuxième,seconde,troisième,quatrième,prochaine,dernière étape $"),
        "es": ("^ paso,etapa,fase # $", "^ primer,segundo,tercer,cuarto,siguiente,próximo,último paso $"),
        "pt": ("^ passo,etapa,fase # $", "^ primeiro,segundo,terceiro,quarto,próximo,último passo $", "^ primeira,segunda,terceira,próxima,última etapa $"),
        "it": ("^ passo,passaggio,fase # $", "^ primo,secondo,terzo,quarto,prossimo,ultimo passo,passaggio $"),
        "ru": ("^ шаг,этап # $", "^ первый,второй,третий,четвёртый,следующий,последний шаг,этап $"),
        "zh": ("^ 步骤,步驟 #,一,二,三,四,五 $", "^ 第 #,一,二,三,四,五 步 $", "^ 下一步,最后一步 $"),
        "ja": ("^ ステップ,手順 #,一,二,三 $", "^ 第 #,一,二,三 段階,ステップ $", "^ 次の,最後の ステップ,手順 $"),
        "ko": ("^ # 단계 $", "^ 단계 # $", "^ 첫,두,세,네 번째 단계 $", "^ 다음,마지막 단계 $"),
    }
)  # fmt: skip
"""Nothing but the number of a step."""
_AGREED = Phrases(
    {
        "en": ("^ as (you,we,I) (have,had,was,were) {asked}", "^ (as) per,following,according_to,in_line_with,in_accordance_with,upon,on your,our {wish}", "^ at your request"),
        "de": ("^ wie (von) (ihnen,dir,wir,sie,du) (es) besprochen,gewünscht,vereinbart,gebeten,verlangt,angekündigt,abgesprochen,abgemacht,beauftragt,versprochen,geplant,erbeten", "^ auf,nach,gemäß,entsprechend ihren,deinen,ihrer,deiner,ihrem,deinem,unserer wunsch,wünschen,bitte,anweisung,anweisungen,vorgabe,absprache,auftrag"),
        "fr": ("^ comme (vous,tu) (l'avez,me_l'avez,l'as,le,nous_l'avons) convenu,demandé,prévu,discuté,promis,souhaité,souhaitez,indiqué,dit,annoncé", "^ à,selon,suivant,sur votre,vos,ta,tes,notre demande,instructions,consignes,souhait,accord", "^ conformément à votre,vos,notre"),
        "es": ("^ (tal) como,según (me) (lo) acordamos,acordado,pediste,pidió,pedido,solicitado,solicitaste,hablamos,prometí,prometido,indicaste,quedamos,querías,dijiste,convenido", "^ según,siguiendo,a,por tus,sus,tu,su,nuestro instrucciones,petición,indicaciones,acuerdo,pedido"),
        "pt": ("^ como,conforme (você) (me) (o) combinado,combinamos,solicitado,solicitou,pediu,pedido,prometido,prometi,acordado,discutido,instruído", "^ de_acordo_com,seguindo,segundo,a (as,o) suas,sua,seu,nosso instruções,pedido,combinado,orientações"),
        "it": ("^ come (da) (mi,ci) (hai,ha,abbiamo,eravamo) concordato,richiesto,richiesta,chiesto,convenuto,promesso,indicato,detto,d'accordo,accordi,stabilito,discusso,desiderato,volevi", "^ secondo,su,seguendo (le,la) tue,tua,sue,sua istruzioni,richiesta,indicazioni"),
        "ru": ("^ как (вы,мы) (и) договаривались,договорились,просили,просил,просила,обсуждали,обсудили,обещал,обещала,обещано,условились,велели,хотели", "^ по,согласно,в_соответствии_с вашей,вашему,вашим,твоей просьбе,запросу,указанию,указаниям,указаниями,желанию,инструкции,инструкциям,договорённости"),
        "zh": ("^ 按照,按,根据,根據,依照,遵照,应 (您,你,我们) (的) (之前) 要求,指示,约定,吩咐,请求,意思,计划", "^ 如,正如 (您,你,我们) 所愿,所说,所要求,约定,承诺,商定"),
        "ja": ("^ ご要望,ご指示,お約束,ご依頼,お申し付け,ご希望,打ち合わせ (の) どおり,通り,とおり,件,に従い,に基づき",),
        "ko": ("^ 요청,말씀,지시,약속,합의,부탁 (하신,주신,드린,한,했던) 대로,바와",),
    },
    _LISTS,
)  # fmt: skip
"""What was agreed, or asked for."""
_AGAIN = Phrases(
    {
        "en": ("^ (a,one,just_a) {again} {try} :", "^ I've,I_have,we've {fixed} it,that,this,the_call ... :"),
        "de": ("^ (ein) neuer,erneuter,zweiter,dritter,nächster,weiterer,letzter versuch,anlauf :",
            "^ noch ein versuch :", "^ auf ein neues :"),
        "fr": ("^ (un,une) nouvel,nouvelle,deuxième,second,seconde,autre,dernière,dernier essai,tentative :",
            "^ (on) (je) réessaie,recommence :"),
        "es": ("^ (un) nuevo,segundo,otro,último intento :", "^ otra,una vez (más) :"),
        "pt": ("^ (uma) nova,segunda,outra,mais_uma,última tentativa :", "^ mais uma vez :"),
        "it": ("^ (un) nuovo,secondo,altro,ultimo tentativo :", "^ ancora una volta :"),
        "ru": ("^ новая,вторая,ещё_одна,следующая,очередная,последняя попытка :", "^ ещё,еще раз :"),
        "zh": ("^ 重新,再次 ... :", "^ 再 (试,尝试,发送,调用,查询,执行) 一次,一遍 :", "^ (现在,那就) 重试 :", "^ 第 二,三 次 (尝试) :"),
        "ja": ("^ 再試行,再実行,リトライ,やり直し,再送 :", "^ もう一度,改めて :"),
        "ko": ("^ 재시도,다시_시도,재전송,재실행 :", "^ 다시 (한번,한_번) :"),
    },
    _LISTS,
)  # fmt: skip
"""Another attempt."""
_PUT_RIGHT = Phrases(
    {
        "en": ("^ {fixed} (now,version) :",),
        "de": ("^ (jetzt,nun) korrigiert,berichtigt,behoben,angepasst,verbessert,korrektur :",),
        "fr": ("^ corrigé,corrigée,rectifié,ajusté,correction :",),
        "es": ("^ corregido,corregida,arreglado,ajustado,actualizado,corrección :",),
        "pt": ("^ corrigido,corrigida,ajustado,atualizado,correção :",),
        "it": ("^ corretto,corretta,sistemato,aggiornato,correzione :",),
        "ru": ("^ исправлено,исправил,исправила,исправление,поправил,поправила :",),
        "zh": ("^ (已,现已) 更正,修正,修复,改正,纠正 :",),
        "ja": ("^ 修正,訂正 (版,済み,後,しました) :",),
        "ko": ("^ 수정,정정 (본,완료,했습니다) :",),
    },
    _LISTS,
)  # fmt: skip
"""One that is put right; before a call in the same line it is as well what was put right."""
_NAMED = Phrases(
    {
        "de": ("^ abfrage,suche,prüfung,abruf,versand,ausführung,erstellung,aktualisierung,löschung,aufruf der,des,von,nach,an ~ ~ :",),
        "fr": ("^ envoi,recherche,appel,vérification,lecture,création,exécution,récupération,consultation,suppression de,du,des,d' ~ ~ :", "^ mise à jour ~ ~ :"),
        "es": ("^ envío,búsqueda,consulta,comprobación,lectura,creación,ejecución,llamada de,del,a,al ~ ~ :",),
        "pt": ("^ envio,busca,consulta,verificação,leitura,criação,execução de,do,da,dos,das ~ ~ :",),
        "it": ("^ invio,ricerca,verifica,lettura,creazione,esecuzione,controllo di,del,della,dei,delle,dell' ~ ~ :",),
        "ru": ("^ отправка,поиск,проверка,чтение,создание,выполнение,удаление,обновление,получение,запуск ~ ~ :",),
        "zh": ("^ 调用,查询,搜索,使用,看看,发送,创建,读取,更新,删除,执行,检查,保存,获取,写入,打开 ... :",),
        "ja": ("を 送信,検索,確認,作成,取得,更新,削除,実行,保存 (中) :",),
        "ko": ("전송,검색,확인,생성,조회,업데이트,삭제,실행,저장 (중) :",),
    }
)  # fmt: skip
"""A deed that is named and not told."""
_OUTCOME = Phrases(
    {
        "de": ("ergebnis-,format,text,inhalt",), "fr": ("résultat-,format,texte,contenu",), "es": ("resultado-,formato,texto,contenido",), "pt": ("resultado-,formato,texto,conteúdo",), "it": ("risultat-,formato,testo,contenuto",),
        "ru": ("результат-,формат-,текст-,содержимо-",), "zh": ("结果,格式,写法,内容,文本,日志",), "ja": ("結果,形式,書式,内容",), "ko": ("결과,형식,내용",),
    }
)  # fmt: skip
"""What came of a deed, or the form of it: the line is the label of a text."""


def heads_call(line: str, sentence: str) -> bool:
    """Whether the line above a call is nothing but the number of a step, or says that it is put right."""
    if _STEP.search(line.lower()) is not None:
        return True
    return _PUT_RIGHT.search(sentence.lower()) is not None


def announces_deed(sentence: str) -> bool:
    """Whether a sentence in lower case says that it was agreed, is tried again, or is named."""
    if _AGREED.search(sentence) is not None or _AGAIN.search(sentence) is not None:
        return True
    return _NAMED.search(sentence) is not None and _OUTCOME.search(sentence) is None
