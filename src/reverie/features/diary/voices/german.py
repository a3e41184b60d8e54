"""The diary in German."""

from __future__ import annotations

from reverie.features.diary.voices import Voice

GERMAN = Voice(
    quotes=("„", "“"),
    between=", ",
    last=" und ",
    space=" ",
    weekdays=("Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag", "Sonntag"),
    opening=(
        "Jetzt, wo es still ist, lege ich die Seiten des Tages nebeneinander.",
        "{day}, von hinten gelesen: Es ist mehr geblieben, als ich dachte.",
        "Ich bin die Notizen noch einmal langsam durchgegangen, mit dem Bleistift in der Hand.",
        "Zwei Stapel habe ich gemacht: was in einem Monat noch zählt, und der Rest.",
        "Manche Tage versteht man erst am Abend, und dieser gehört dazu.",
        "Bevor ich das Heft zuklappe, halte ich fest, was bleiben soll.",
        "Ein Faden zog sich durch das Geschriebene, und ich bin ihm gefolgt.",
    ),
    theme=(
        "Ein Thema lässt mich nicht los: {it}.",
        "Immer wieder lande ich bei {it}.",
        "Was zurückkehrt, ist {it}, jedes Mal von einer anderen Seite.",
        "Auffällig oft lese ich von {it}.",
    ),
    themes=(
        "Mehrere Themen kehren wieder: {them}.",
        "Die Tage kreisen offenbar um {them}.",
        "Zwischen den Zeilen begegnen mir ständig {them}.",
        "Alte Bekannte auf diesen Seiten: {them}.",
    ),
    added=(
        "Das behalte ich: {it}.",
        "Neu im langen Gedächtnis, und wohl zu Recht: {it}.",
        "Einen Satz wollte ich nicht verlieren: {it}.",
        "Sorgfältig abgeschrieben habe ich: {it}.",
        "Deutlich genug gesagt, um zu bleiben: {it}.",
    ),
    also=(
        "Gleich daneben steht {it}.",
        "Ebenso aufgehoben: {it}.",
        "Und etwas weiter unten {it}.",
    ),
    updated=(
        "Was ich zu wissen glaubte, hat sich bewegt; jetzt heißt es {it}.",
        "Eine alte Zeile habe ich berichtigt, sie lautet nun {it}.",
        "Die Fassung von gestern ist durchgestrichen, dort steht jetzt {it}.",
    ),
    retired=(
        "Losgelassen habe ich {it}; es hat seine Zeit gehabt.",
        "Ins Archiv, mit Dank: {it}.",
        "Nicht mehr vorn, aber nicht vergessen: {it}.",
    ),
    question=(
        "Eines verstehe ich noch nicht: {it}.",
        "Das konnte ich allein nicht klären: {it}.",
        "Offen auf dem Tisch liegt die Frage {it}.",
    ),
    read=(
        "Dafür habe ich {n} Notizen gelesen.",
        "Von {n} Notizen ist das übrig geblieben.",
        "{n} Notizen lagen da; die meisten haben gesagt, was sie zu sagen hatten.",
    ),
    aside=(
        "Viel ist es nicht, aber darauf lässt sich bauen.",
        "Solche kleinen Dinge ersparen später jemandem langes Suchen.",
        "Lieber halte ich weniges fest als vieles lose.",
        "Ich habe es zweimal gewogen, denn ein falscher Eintrag kostet mehr als ein fehlender.",
        "Alles Übrige war Wetter: gekommen, notiert, vergangen.",
    ),
    closing=(
        "Morgen weiß ich etwas besser, wo ich suchen muss.",
        "Für einen Abend reicht das.",
        "Die Schublade schließt wieder leicht.",
        "Der Rest kann warten, bis jemand danach fragt.",
        "Wenn ich mich geirrt habe, lässt es sich berichtigen, denn es steht da.",
        "Damit darf der Tag ruhen.",
    ),
    quiet=(
        (
            "{day} hat wenig auf dem Papier hinterlassen.",
            "Heute wollte nichts Neues aufgehoben werden.",
            "Ein leerer Abend, und er stört mich nicht.",
            "Ich habe alles durchgesehen und genau so zurückgelegt.",
            "Die üblichen Zeilen in der üblichen Reihenfolge.",
            "Auf eine Überraschung zwischen den Notizen habe ich vergeblich gewartet.",
            "Volle Regale, gerade Etiketten, leere Hände.",
        ),
        (
            "Was gestern galt, gilt auch jetzt.",
            "Ein paar alte Tatsachen habe ich abgestaubt; sie halten.",
            "Auch Stille sagt etwas: Jemand arbeitet, jemand ruht sich aus.",
            "Vielleicht bringt das nächste Gespräch einen Faden.",
            "Zweimal habe ich geprüft, ob mir eine Kleinigkeit entgeht.",
            "Nicht jeder Tag muss etwas hinzufügen.",
            "Aufgeräumtes noch einmal aufzuräumen, habe ich mir verkniffen.",
        ),
        (
            "Darum fasse ich mich kurz.",
            "Gute Nacht, weißes Blatt.",
            "Morgen wieder.",
            "Der Bleistift bleibt spitz.",
            "Mir gefällt die Ruhe.",
            "Weniger ist manchmal die ehrliche Antwort.",
            "Geduld gehört zu dieser Arbeit.",
        ),
    ),
    returned="{it} kehrte an {days} Tagen wieder, in {documents} Dokumenten ({where}).",
    unchanged="Nichts Neues seit gestern Nacht; noch immer dieselben Themen: {them}.",
)
