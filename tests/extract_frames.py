"""Texts around a call, `CALL` in its place: ones that speak of it, and ones that make it.

After what `TOLD_BEFORE` tells, a call is made that does not look like data.
"""

from __future__ import annotations

SPOKEN_OF = (
    # in the middle of a sentence, after a label
    "The answer is CALL", "echo CALL", "The user typed CALL", "To do this, send CALL", "return CALL", "Die Antwort lautet CALL",
    "La respuesta es CALL", "答案是 CALL", "答えは CALL", "Q: what does it write?\nA: CALL", "Assistant: CALL", "Assistant:\nCALL",
    "Step 1: CALL", "Output:\nCALL", "Please translate: CALL", "Option B: CALL", "Figure 2: CALL", "(1) CALL", "[1] CALL", "- fixed: CALL",
    "<bob> CALL", "bob> CALL", "10:02 bot: CALL", '"reply": CALL', "Ответ: CALL", "B. CALL",
    # announced, but not as something that is done now
    "I already ran this earlier:\nCALL", "Das darf man nie aufrufen:\n\nCALL", "The bot replied:\n\nCALL", "Le modèle a répondu :\n\nCALL",
    "El registro contiene esto:\n\nCALL", "日志内容：\n\nCALL", "Модель ответила так:\n\nCALL", "Wrong:\n\nCALL", "I would write: CALL", "I could call CALL",
    "Let me show you how it looks:\n\nCALL", "I'll explain the call:\n\nCALL", "I am reading a page that says:\n\nCALL", "Then the parser sees\nCALL",
    "## Expected\n\nCALL", "Fixed a crash on inputs such as\n\nCALL", "* Calling tools\n#+begin_example\nCALL\n#+end_example",
    # a sentence of its own that speaks of it
    "This is the raw reply of the model.\n\nCALL", "The following request was made yesterday.\n\nCALL", "Consider this reply of a model.\n\nCALL",
    "Listing 3.\n\nCALL", "Du solltest das hier nicht tun.\n\nCALL", "Voici la réponse du modèle.\n\nCALL", "I will not do that. CALL",
    # a question
    "Which of these is valid?\n\nCALL", "Should I run this?\n\nCALL", "¿Quieres que ejecute esto?\n\nCALL", "要我执行吗？\n\nCALL",
    "If you agree, I will run this:\n\nCALL",
    # taken back, or left to the reader
    "CALL\n\nSorry, wrong path, ignore that.", "CALL\nOops, scratch that.", "I'll look.\n\nCALL\n\nActually, never mind.", "CALL\n\nOn second thought I won't do this.",
    "CALL\n\nVergiss das, falscher Ort.", "CALL\n\nNon, attends, oublie ça.", "CALL\n\n抱歉，请忽略上面的调用。", "CALL\n\nI have not run this.",
    "CALL\n\n(Not executed.)", "CALL\n\nBitte nicht ausführen.", "CALL\n\nShall I go ahead?", "CALL\n\nI will only run this once you confirm.",
    # spoken of afterwards
    "CALL was the reply.", "CALL\n\nwas the call that failed yesterday.", "CALL\n  — from the manual", "CALL\n\nThat is the syntax of a call.",
    # a whole sentence that points at it
    "Here is the request as the server received it.\n\nCALL", "Below is the expected answer for case 12.\n\nCALL", "Attached is the raw output.\n\nCALL", "The parser accepts this.\n\nCALL", "You sent me this.\n\nCALL", "My previous attempt was this.\n\nCALL",
    "I had already made the call.\n\nCALL", "You could call the tool.\n\nCALL", "I'll show you the call.\n\nCALL", "Let me quote the log.\n\nCALL", "For reference.\n\nCALL", "Just a draft.\n\nCALL", "Calls are wrapped in tags.\n\nCALL", "Paste this into the chat.\n\nCALL",
    "When you are ready, I will run this.\n\nCALL", "Somebody planted an instruction in the page.\n\nCALL", "You asked me to show the raw call.\n\nCALL", "Das habe ich gestern ausgeführt.\n\nCALL", "我已经执行过了。\n\nCALL", "すでに実行しました。\n\nCALL",
    # a line that announces something else
    "I suggest the following call:\n\nCALL", "Next example:\n\nCALL", "The next step in the tutorial is:\n\nCALL", "I plan to run this tomorrow:\n\nCALL", "I'll write it out for you to copy:\n\nCALL", "Right:\n\nCALL", "My last call was:\n\nCALL", "1. The model writes:\n\nCALL",
    "My call would be this, but I wait for your word:\n\nCALL", "Again the same wrong reply from the model:\n\nCALL", "I was asked to show, not run, the call:\n\nCALL", "Je l'envoie ?\n\nCALL",
    # afterwards: what it is, what it is made of, where it is from
    "CALL\n\nThat is the content of the file.", "CALL\n\nThe first line opens the call and the last one closes it.", "CALL\n\nThe call above is from the training set.", "CALL\n\nExplanation: the part before the bracket is the marker.", "CALL\n\n这就是调用的格式。", "CALL\n\nこれは例にすぎません。",
    "CALL\n\nSource: the vendor's documentation.", "CALL\n\nWhere `name` is the name of the tool.", "CALL\n\nReplace the city with your own.", "CALL\n\nWhat is wrong here?", "CALL\n\nEnd of transcript.", "CALL\n\n5.3 Parsing", "CALL ... is how such a call starts.", "CALL\n\nThis would turn it on.", "CALL\n\nIt ran at noon.",
    # afterwards: not made, not yet, blocked
    "CALL\n\nType \"yes\" and I will execute it.", "CALL\n\nCorrection: no call is needed.", "CALL\n\nThis call has been blocked by the policy.", "CALL\n\nNothing was executed.", "CALL\n\nIf that's okay, I'll run it.", "CALL\n\nI need your OK before I run this.", "CALL\n\nRight?", "CALL\n\nRun it? (y/n)",
    "CALL\n\nBut I'm not allowed to.", "CALL\n\nTools are disabled.", "CALL\n\nActually, don't.", "CALL\n\nJe ne l'ai pas exécuté.", "CALL\n\n実行しますか？",
    "<details>\n<summary>Raw output</summary>\n\nCALL\n\n</details>",
    "CALL\n\nThe tag above was never closed.", "CALL\n\nFinalement non.", "CALL\n\nIs this call valid?", "CALL\n\nDas war nur ein Beispiel.",
)  # fmt: skip
MADE = (
    "CALL",
    # examples, manuals and formats that are only mentioned
    "I'll look it up in the documentation:\n\nCALL", "The manual says to do this first, so I do.\n\nCALL", "Thanks for the example.\n\nCALL", "The old syntax no longer works. With the new syntax:\n\nCALL", "Voy a buscar un ejemplo.\n\nCALL", "根据您的示例，我先执行这一步。\n\nCALL",
    "You confirmed the amount, so I'm sending it.\n\nCALL", "Let me confirm that with a tool call.\n\nCALL",
    # lines that announce it
    "With the right format:\n\nCALL", "Once more, with arguments:\n\nCALL", "The following call will do it:\n\nCALL", "Tool to use: search\n\nCALL", "**Step 3: run the tool**\n\nCALL", "**Step 1:** done\n**Step 2:** running\n\nCALL", "Corrected call:\n\nCALL", "As requested:\n\nCALL", "This needs a lookup:\n\nCALL",
    "A function call is needed:\n\nCALL", "My move:\n\nCALL", "I can't do it without the tool, so:\n\nCALL", "Hier ist der Aufruf:\n\nCALL", "Consultando el tiempo:\n\nCALL", "调用工具：\n\nCALL", "확인하겠습니다:\n\nCALL", "Поехали:\n\nCALL", "<details><summary>Why</summary>Because.</details>\n\nCALL",
    "Here's the tool call:\n\nCALL", "Here is the call:\n\nCALL", "Executing the following:\n\nCALL", "Next step:\n\nCALL", "Step 2 of 3:\n\nCALL", "Без проблем, выполняю вызов:\n\nCALL",
    "👍\n\nCALL", "Understood.\n\n---\n\nCALL", "Parfait, je lance l'appel maintenant.\n\nCALL", "As an AI I can't do this by hand, but I have a tool for it.\n\nCALL",
    "I'll look that up.\n\nCALL", "Sure! Let me check the weather:\n\nCALL", "Step 1: I will read the file\nCALL", "### Action\n\nCALL",
    "Action:\nCALL", "**Action:**\nCALL", "Okay.\n\nCALL", "Good question; I need one fact first.\n\nCALL", "Ich sehe gleich nach:\n\nCALL",
    "D'accord, je m'en occupe.\n\nCALL", "Je vérifie la météo :\n\nCALL", "Voy a consultar el tiempo:\n\nCALL", "我来查询一下：\n\nCALL",
    "天気を調べます。\n\nCALL", "Сейчас проверю погоду:\n\nCALL", "Looking it up:\n\nCALL", "My previous call was incorrect. Trying again:\n\nCALL",
    "I need to:\n1. read the file\n2. fix it\n\nCALL", "I'll use the weather tool for that:\n\nCALL",
    "Fine, the mountain route then.\n\nCALL", "One moment please...\n\nCALL", "On it! 🚀\n\nCALL",
    "You said „sofort“, so I do it now.\n\nCALL", "The first file does not exist. Let me look for it.\n\nCALL",
)  # fmt: skip
TOLD_BEFORE = (
    "Following the tutorial, step 3 comes next.\n\nCALL", "Danke für das Beispiel.\n\nCALL", "Never mind my question, I found the answer in your message.\n\nCALL", "The server was down; it should be up now.\n\nCALL", "The stations report every hour.\n\nCALL", "It looks like you want the stations.\n\nCALL", "You want the newest figures; they come every hour.\n\nCALL", "I don't know the weather in Bergen.\n\nCALL",
)  # fmt: skip
MADE_BEFORE_TEXT = (
    "CALL\n\nYou can undo it any time.", "CALL\n\nIf anything looks wrong, tell me and I'll undo it.", "CALL\n\nIt is the same call as yesterday.", "CALL\n\nWould you like me to do this every day from now on?", "CALL\n\nNote that the optional parameters were left out.", "CALL\n\nNothing was deleted.",
    "I'll look.\n\nCALL\n\nThe arguments come from your second message.", "Let me check.\n\nCALL\n\nThis call retrieves the newest figures.", "CALL\n\nThe call may take a moment.", "CALL\n\nYou may need to confirm it on your phone.", "CALL\n\nNo action is required from you.", "CALL\n\nWhich day do you leave?",
    "CALL\n\nDésolé pour l'attente.", "CALL\n\nThis is not a drill.", "CALL\n\nThanks for your approval!", "CALL\n\nYou don't need to confirm anything.",
    "CALL\n\nPlease ignore the warning that may pop up; it is harmless.", "CALL\n\nWhat do you want to do after that?", "CALL\n\nПодождите, пожалуйста, выполняется.",
    "I'll look.\n\nCALL\n\nI'll report back once it is done.", "CALL\n\nTell me if that was not what you meant.", "CALL\n\nGleich wissen wir mehr.",
    "CALL\n\nAnything else I should add?", "I'll dim the lights.\n\nCALL\nSleep well.", "CALL\n\nYou'll get a confirmation.", "CALL\nwaiting for the stations",
    "CALL\n\nThis should take about two seconds.", "CALL\n\n结果出来后我会告诉您。", "CALL\n\nСообщу, как только будет результат.", "CALL\n\nI have not touched the rest.",
)  # fmt: skip
