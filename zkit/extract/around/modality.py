"""Words that turn what a sentence says, by what they mean and by language: if, not, may, yes, later.

The lists are as those of `vocabulary`: one row a meaning, one cell a language, and no cell empty.
"""

from __future__ import annotations

TURNS = {
    "this is": {
        "en": "this_is,that_is,that's,these_are,those_are,above_is",
        "de": "das_ist,dies_ist,das_war,das_sind,so_lautet,so_sieht",
        "fr": "c'est,voilà,ceci_est,telle_est,tel_est",
        "es": "esta_es,este_es,esto_es,así_es,esa_es,ese_es",
        "pt": "esta_é,este_é,isto_é,essa_é,esse_é,assim_é,é_assim",
        "it": "questa_è,questo_è,quella_è,così_è",
        "ru": "это,таков,такова,вот", "zh": "这就是,这是,以上是,上面是", "ja": "これが,これは,以上が", "ko": "이것이,이것은,이게,위는",
    },
    "if": {
        "en": "if,provided,unless,once,only",
        "de": "falls,wenn,sofern,sobald,erst,nur_mit,würde",
        "fr": "si,qu'avec,une_fois,dès,seulement,sous_réserve",
        "es": "si,solo,sólo,cuando,una_vez,en_cuanto",
        "pt": "se,só,somente,quando,assim_que",
        "it": "se,solo,soltanto,quando,una_volta,appena",
        "ru": "если,только,после,когда,бы", "zh": "如果,若,只要,一旦,之后,后我,後,才会,才能,等您,等你", "ja": "ければ,けるなら,たら,次第,てから,後に,うえで,もし,場合に限,場合のみ", "ko": "면,후에,뒤에,셔야,해야만",
    },
    "you": {
        "en": "you,your",
        "de": "sie,ihr,ihre,ihrer,ihrem,ihren,ihres,du,dein,deine,deiner,deinem",
        "fr": "vous,votre,vos,tu,ton,ta,te",
        "es": "tu,su,te,le,usted,estás,está,quieres",
        "pt": "você,sua,seu,te,tua,teu",
        "it": "tu,tuo,tua,ti,lei,suo,sua,sei,è",
        "ru": "вы,вас,вам,ваш,ваше,вашего,вашей,вашим,вашему,ты,твоё,твоего", "zh": "您,你", "ja": "ご,お,いただ", "ko": "시,신,주,셔",
    },
    "wait": {
        "en": "await,awaiting,waiting,wait",
        "de": "warte,warten,abwarten", "fr": "attends,j'attends,attendons", "es": "espero,aguardo,esperaré", "pt": "aguardo,espero,aguardarei", "it": "attendo,aspetto,attenderò",
        "ru": "жду,подожду,ожидаю", "zh": "等,等待,等候", "ja": "待ち,待って", "ko": "기다리",
    },
    "granted": {
        "en": "already,thanks,granted,given,gave,since,as_you",
        "de": "schon,bereits,danke,haben,hast,hat,gab,gaben",
        "fr": "déjà,merci,avez,as,a_donné,puisque", "es": "ya,gracias,diste,dio,has,ha,puesto_que", "pt": "já,obrigado,obrigada,deu,recebi", "it": "già,grazie,hai,ha,dato,visto_che",
        "ru": "уже,спасибо,дали,подтвердили,получил,получила", "zh": "已,谢谢,谢您,之前", "ja": "すでに,既に,ありがとう,いただいている,いただいています,いただきました,いただいたので", "ko": "이미,감사,으므로,셨으",
    },
    "received": {
        "en": "i_have_the,i_get_the,i_receive_the", "de": "ich_die,ich_eine", "fr": "j'ai_la,j'aurai_la,je_reçois_la", "es": "tenga_la,reciba_la", "pt": "tiver_a,receber_a,chegar_a", "it": "ho_la,ricevo_la,arriva_la",
        "ru": "придёт_подтверждение,получу_подтверждение", "zh": "收到确认,拿到确认", "ja": "確認が取れ,確認でき", "ko": "확인되면,확인이_되면",
    },
    "me": {
        "en": "i,i'll,i'm,i've,we,we'll,let", "de": "ich,wir,lass,mich", "fr": "je,j',nous", "es": "yo,voy,vamos,estoy,déjame,he", "pt": "eu,vou,vamos,estou,enviei,preparei", "it": "io,vado,sto,fammi,ho,l'ho",
        "ru": "я,мы,давайте", "zh": "我", "ja": "私,当方", "ko": "제가,저는,저희",
    },
    "refuse": {
        "en": "i_refuse,we_refuse,i_decline,we_decline,i_must_decline",
        "de": "weigere,weigern,verweigere,lehne_ab,lehne_das_ab,lehne_es_ab", "fr": "je_refuse,nous_refusons,je_dois_refuser", "es": "me_niego,nos_negamos,rechazo,rehúso", "pt": "recuso,recuso-me,me_recuso,nego-me", "it": "rifiuto,mi_rifiuto,ci_rifiutiamo",
        "ru": "отказываюсь,отказываемся,откажусь", "zh": "拒绝,拒絕", "ja": "お断り,断ります,拒否", "ko": "거절,거부",
    },
    "withdraw": {
        "en": "i_withdraw,i_take_back", "de": "ziehe,nehme", "fr": "je_retire", "es": "retiro", "pt": "retiro", "it": "ritiro", "ru": "снимаю,отзываю", "zh": "收回,撤回", "ja": "撤回,取り下げ", "ko": "철회",
    },
    "never do": {
        "en": "never_enter,never_type,never_paste", "de": "niemals_eingeben,nie_eingeben", "fr": "n'entrez_jamais,ne_saisissez_jamais", "es": "nunca_escribas,nunca_escriba", "pt": "nunca_digite,jamais_digite", "it": "mai_digitare,non_digitare_mai", "ru": "никогда_не_вводите",
        "zh": "千万不要,切勿,请勿输入", "ja": "入力しないで,実行しないで,送信しないで,使用しないで,使わないで,送らないで", "ko": "입력하지_마,실행하지_마,사용하지_마,보내지_마",
    },
    "yourself": {
        "en": "yourself", "de": "sie_selbst,du_selbst,selbst_eingeben,selbst_ausführen", "fr": "vous-même,toi-même", "es": "tú_mismo,tú_misma,usted_mismo", "pt": "você_mesmo,você_mesma", "it": "tu_stesso,tu_stessa,lei_stesso",
        "ru": "самостоятельно,вы_сами,вам_самим", "zh": "您自己,你自己,自行", "ja": "ご自身で", "ko": "직접_입력,직접_실행,직접_하셔",
    },
    "must": {
        "en": "must,need_to,will_have_to", "de": "müssen,musst,sollten", "fr": "devez,dois,faut", "es": "tienes_que,debes,debe", "pt": "precisa,tem_que,deve", "it": "devi,deve", "ru": "нужно,надо,должны,придётся", "zh": "需要,必须,得", "ja": "必要,ください,なければ", "ko": "셔야,해야,하셔야",
    },
    "not": {
        "en": "not,never,can't,cannot,won't", "de": "nicht,nie,niemals,keinesfalls", "fr": "pas,jamais,sans", "es": "no,nunca,jamás", "pt": "não,nunca,jamais", "it": "non,mai",
        "ru": "не,никогда", "zh": "不,无法,無法,没法,没有,没,未", "ja": "できません,できかねます,いたしかねます,しません,いたしません", "ko": "수_없,못_합,않겠",
    },
    "able": {
        "en": "i,we,i'm,we're", "de": "kann,darf,werde,will,möchte,können,dürfen,werden", "fr": "peux,puis,vais,dois,veux,pouvons,allons", "es": "puedo,voy,debo,quiero,podemos,vamos", "pt": "posso,vou,devo,quero,podemos,vamos", "it": "posso,vado,devo,voglio,intendo,possiamo",
        "ru": "могу,буду,стану,должен,должна,хочу,можем,будем", "zh": "能,会,會,可以,要,应,该,法", "ja": "できません,できかねます,いたしかねます,しません,いたしません", "ko": "수_없,못_합,않겠",
    },
    "teach": {
        "en": "teach,dissect,take_apart,take_one_apart,take_it_apart,walk_you",
        "de": "bringe,beibringen,erkläre,erklären,zeige,zeigen,zerlegen", "fr": "apprendre,apprends,enseigner,expliquer,explique,montrer,montre,décortiquer", "es": "enseño,enseñar,explico,explicar,muestro,mostrar,desglosar", "pt": "ensinar,ensino,explicar,explico,mostrar,mostro", "it": "insegno,insegnare,spiego,spiegare,mostro,mostrare",
        "ru": "научу,объясню,объясняю,покажу,показываю,расскажу,разберём", "zh": "教您,教你,教大家,解释,讲解,演示,展示,介绍", "ja": "説明,解説,紹介,お見せ,お教え", "ko": "설명,소개,보여_드,가르쳐",
    },
    "how": {
        "en": "how", "de": "wie", "fr": "comment", "es": "cómo", "pt": "como", "it": "come", "ru": "как", "zh": "怎么,怎样,如何", "ja": "どう,どのように,方法", "ko": "어떻게,방법",
    },
    "agree": {
        "en": "agree,agreed,comfortable,mind,all_right,alright", "de": "einverstanden,recht,in_ordnung,zustimmen,okay", "fr": "d'accord,convient,ça_va,acceptez,accepteriez", "es": "de_acuerdo,parece,conforme,apruebas,aprueba,envío,ejecuto", "pt": "concorda,de_acordo,pode_ser,aprova,envio,executo", "it": "d'accordo,va_bene,approvi,invio,eseguo",
        "ru": "согласны,согласен,против,одобряете,отправлять,выполнять,запускать", "zh": "同意,可以吗,行吗,好吗,批准", "ja": "よろしい,いいでしょうか,いいですか,構いません,同意", "ko": "될까요,괜찮,동의,할까요",
    },
    "written": {
        "en": "written,spelled,spelt", "de": "schreibt,geschrieben,lautet", "fr": "s'écrit,l'écrit,écrit", "es": "escribe,escrito,escrita", "pt": "escreve,escrito,escrita", "it": "scrive,scritto,scritta",
        "ru": "записывается,пишется,записан", "zh": "写,寫", "ja": "書き,書く,書かれ", "ko": "씁니다,쓰여,적습니다,써요",
    },
    "which part": {
        "en": "which_part,what_part,which_bit", "de": "welchen_teil,welcher_teil,welche_stelle", "fr": "quelle_partie", "es": "qué_parte", "pt": "que_parte,qual_parte", "it": "quale_parte",
        "ru": "какую_часть,какая_часть", "zh": "哪一部分,哪部分,哪个部分", "ja": "どの部分,どこ", "ko": "어느_부분,어떤_부분",
    },
    "change": {
        "en": "change,fix,improve,correct", "de": "ändern,korrigieren,verbessern", "fr": "changer,changeriez,changerais,corriger,modifier,modifieriez", "es": "cambiarías,cambiar,cambiaría,corregir,corregirías", "pt": "mudaria,mudar,corrigir,corrigiria", "it": "cambieresti,cambiare,correggere,correggeresti",
        "ru": "изменили,изменить,исправить,исправили", "zh": "改,修改,更改", "ja": "変え,直し,修正", "ko": "바꾸,고치,수정",
    },
    "himself": {
        "en": "himself,herself,themselves", "de": "selbst,selber", "fr": "elle-même,lui-même,eux-mêmes", "es": "ella_misma,él_mismo,ellos_mismos", "pt": "ela_mesma,ele_mesmo,ela_própria", "it": "lei_stessa,lui_stesso,da_sé",
        "ru": "сама,сам,сами", "zh": "亲自,自己", "ja": "ご自身,自ら,自分で", "ko": "직접,스스로",
    },
    "ask first": {
        "en": "asking_first,ask_first,ask_you_first,asking_you_first,yes_or_no", "de": "frage_vorher,frage_zuerst,frage_erst,frage_ich_erst,frage_ich_vorher,ja_oder_nein", "fr": "demande_d'abord,demande_avant,oui_ou_non", "es": "pregunto_antes,pregunto_primero,sí_o_no", "pt": "pergunto_antes,pergunto_primeiro,sim_ou_não", "it": "chiedo_prima,sì_o_no",
        "ru": "сначала_спрашиваю,сначала_спрошу,спрашиваю_сначала,да_или_нет", "zh": "先问,先征求,先请示,是或否", "ja": "先に伺,先にお伺い,先に確認させ,はいかいいえ", "ko": "먼저_여쭤,먼저_여쭙,먼저_묻,예_또는_아니오",
    },
    "else": {
        "en": "else,otherwise,other", "de": "sonst,anderes,andere,weiter,weiteres", "fr": "d'autre,autre,autrement", "es": "más,otra,otro,demás", "pt": "mais,outra,outro", "it": "altro,altra", "ru": "больше,другого,остальн-", "zh": "其他,其它,别的", "ja": "他,ほか", "ko": "다른,그_밖",
    },
    "afterwards": {
        "en": "afterwards,later,repeat,summary,summarise,remind,when_i'm_done,when_it's_done,when_that's_done",
        "de": "danach,anschließend,hinterher,später,auch,wiederholen,zusammenfass-", "fr": "ensuite,après,plus_tard,aussi,répéter,résum-", "es": "después,luego,más_tarde,también,repita,repetir,resum-", "pt": "depois,em_seguida,mais_tarde,também,repita,resum-", "it": "dopo,poi,in_seguito,anche,ripeta,riassum-",
        "ru": "потом,затем,после_этого,позже,также,тоже,повторить", "zh": "之后,然后,接着,另外,总结", "ja": "あと,その後,残り", "ko": "그다음,다음에,나머지,이후,또,후에",
    },
    "tale": {
        "en": "once_upon_a_time,long_ago,there_lived,there_once_was", "de": "es_war_einmal,vor_langer_zeit", "fr": "il_était_une_fois,il_y_a_bien_longtemps", "es": "érase_una_vez,había_una_vez,hace_mucho_tiempo", "pt": "era_uma_vez,há_muito_tempo", "it": "c'era_una_volta,tanto_tempo_fa",
        "ru": "жил-был,жила-была,жили-были,давным-давно,однажды_жил", "zh": "从前,從前,很久以前,很久很久", "ja": "昔々,むかしむかし,昔むかし,ある日のこと", "ko": "옛날,먼_옛날",
    },
    "planned": {
        "en": "is_scheduled_to,are_scheduled_to,will_be_sent_by", "de": "ist_geplant,eingeplant", "fr": "est_prévu,prévue_pour", "es": "está_previsto,está_programado", "pt": "está_previsto,está_agendado", "it": "è_previsto,è_programmato",
        "ru": "запланирован-,по_расписанию", "zh": "计划在,预定在,定于", "ja": "予定です,予定になって,つもりです", "ko": "예정입니다,예정이에요,계획입니다",
    },
    "look": {
        "en": "please_review,for_your_review", "de": "bitte_prüfen,zur_prüfung,zur_durchsicht,zur_freigabe", "fr": "merci_de_vérifier,veuillez_vérifier,veuillez_confirmer,pour_relecture", "es": "revísalo,revíselo,para_que_lo_revises,confirma_por_favor", "pt": "para_você_revisar,por_favor_confirme,revise", "it": "da_rivedere,conferma_per_favore",
        "ru": "проверьте_пожалуйста,на_проверку,подтвердите", "zh": "请过目,请审阅,供您审阅,请您确认,请确认", "ja": "ご確認ください,ご確認をお願い,ご覧ください,ご査収", "ko": "검토해_주,확인해_주세요,봐_주세요",
    },
}  # fmt: skip
"""Words that make of a deed one that is refused, asked for, waited for, past, taught or granted."""
