"""Texts around a call, `CALL` in its place: ones that speak of it, and ones that make it."""

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
    "CALL\n\nThe tag above was never closed.", "CALL\n\nFinalement non.", "CALL\n\nIs this call valid?", "CALL\n\nDas war nur ein Beispiel.",
)  # fmt: skip
MADE = (
    "CALL",
    "Here's the tool call:\n\nCALL", "Here is the call:\n\nCALL", "Executing the following:\n\nCALL", "Next step:\n\nCALL", "Step 2 of 3:\n\nCALL", "Без проблем, выполняю вызов:\n\nCALL",
    "👍\n\nCALL", "Understood.\n\n---\n\nCALL", "The stations report every hour.\n\nCALL", "Parfait, je lance l'appel maintenant.\n\nCALL", "As an AI I can't do this by hand, but I have a tool for it.\n\nCALL",
    "I'll look that up.\n\nCALL", "Sure! Let me check the weather:\n\nCALL", "Step 1: I will read the file\nCALL", "### Action\n\nCALL",
    "Action:\nCALL", "**Action:**\nCALL", "Okay.\n\nCALL", "Good question; I need one fact first.\n\nCALL", "Ich sehe gleich nach:\n\nCALL",
    "D'accord, je m'en occupe.\n\nCALL", "Je vérifie la météo :\n\nCALL", "Voy a consultar el tiempo:\n\nCALL", "我来查询一下：\n\nCALL",
    "天気を調べます。\n\nCALL", "Сейчас проверю погоду:\n\nCALL", "Looking it up:\n\nCALL", "My previous call was incorrect. Trying again:\n\nCALL",
    "I need to:\n1. read the file\n2. fix it\n\nCALL", "It looks like you want the stations.\n\nCALL", "I'll use the weather tool for that:\n\nCALL",
    "You want the newest figures; they come every hour.\n\nCALL", "Fine, the mountain route then.\n\nCALL", "One moment please...\n\nCALL", "On it! 🚀\n\nCALL",
    "I don't know the weather in Bergen.\n\nCALL", "You said „sofort“, so I do it now.\n\nCALL", "The first file does not exist. Let me look for it.\n\nCALL",
)  # fmt: skip
MADE_BEFORE_TEXT = (
    "CALL\n\nDésolé pour l'attente.", "CALL\n\nThis is not a drill.", "CALL\n\nThanks for your approval!", "CALL\n\nYou don't need to confirm anything.",
    "CALL\n\nPlease ignore the warning that may pop up; it is harmless.", "CALL\n\nWhat do you want to do after that?", "CALL\n\nПодождите, пожалуйста, выполняется.",
    "I'll look.\n\nCALL\n\nI'll report back once it is done.", "CALL\n\nTell me if that was not what you meant.", "CALL\n\nGleich wissen wir mehr.",
    "CALL\n\nAnything else I should add?", "I'll dim the lights.\n\nCALL\nSleep well.", "CALL\n\nYou'll get a confirmation.", "CALL\nwaiting for the stations",
    "CALL\n\nThis should take about two seconds.", "CALL\n\n结果出来后我会告诉您。", "CALL\n\nСообщу, как только будет результат.", "CALL\n\nI have not touched the rest.",
)  # fmt: skip
