"""Fits the weights by which search ranks lines and recall keeps silent.

    python training/asking.py PATH/TO/people PATH/TO/gold [--check] [--closer]

Workspaces with `questions.tsv` (benchmarks/newcomer.py says what is in it) or `gold.json` (benchmarks/recall.py), and messages that no
memory knows anything about, below. For each question one of the lines that answer must win against all other lines and against
"nothing of this"; for the messages "nothing" must. What is learnt: about fifty numbers, written to src/reverie/evidence/data/asking.json: by which lines
are chosen for a closer look, with vectors and without, and by which the closer look decides (`--closer`: only these, the others stay). `--check` leaves out
each workspace in turn and says how its questions are answered by weights that never saw it; nothing is written. `newer.py` fits which version stands first.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "benchmarks"))
from newcomer import questions
from reverie.core.cache import keep_in
from reverie.evidence import ranking, search
from reverie.evidence.index import Index
from reverie.features.search import default_embedder, reindex
from reverie.night.live_lines import LiveClaims
from reverie.workspace.values import Statement, Workspace

OUT = Path(__file__).resolve().parents[1] / "src" / "reverie" / "evidence" / "data" / "asking.json"
CACHE = Path(tempfile.gettempdir()) / "reverie-bench" / "reverie"
STEPS, RIDGE = 600, 0.001
COUNTS = {
    "small": 0.25,
    "strange": 0.8,
}  # how much a memory of a few lines, and a message that is about nothing, count beside a question
STRANGE = (
    "hello there", "good night, see you tomorrow", "thank you so much for the help", "lol", "you are the best", "ok", "yes please", "no, not now",
    "write me a python function that reverses a list", "what is the boiling point of water", "who painted the Mona Lisa?", "how far is the moon from earth",
    "summarise the plot of Hamlet", "explain recursion to a five year old", "what does the word serendipity mean?", "sing me a song about dragons",
    "what is the square root of 144", "how do bees make honey", "who discovered penicillin", "recommend a science fiction film", "what rhymes with orange",
    "how are you today?", "that is funny", "can you speak louder", "which language is spoken in Brazil", "how tall is the Eiffel tower?", "what is the speed of light?",
    "你好", "晚安", "谢谢", "哈哈哈", "好的，没问题", "写一个冒泡排序", "世界上最高的山是哪座", "红楼梦的作者是谁", "讲个故事吧", "光速是多少", "今天心情不错", "什么是黑洞", "推荐一部电影",
    "把这句话翻译成法语", "你会唱歌吗", "为什么天空是蓝色的", "太阳系有几颗行星？",
    "Guten Abend!", "Danke dir", "Erzähl mir einen Witz", "Wer schrieb Faust?", "Wie weit ist der Mond entfernt?", "Was ist die Hauptstadt von Australien?",
    "hola, ¿qué tal?", "gracias por todo", "¿quién pintó Las Meninas?", "cuéntame un chiste", "merci beaucoup", "bonjour", "qui a écrit Les Misérables ?", "quelle est la capitale du Pérou ?",
    "ciao, come stai?", "obrigado", "おはようございます", "富士山の高さは？", "ありがとう", "안녕하세요", "привет", "спасибо большое", "Кто написал «Войну и мир»?",
)  # fmt: skip


@dataclass(frozen=True)
class Case:
    """One question over one workspace: figures and labels of its lines."""

    place: str
    kind: str
    table: Any
    words: Any  # the same figures without vectors
    network: Any  # the figures of the closer look,
    best: Any  # and the lines that got one
    right: Any
    old: Any

    def known(self, name: str) -> Any:
        """Which lines answer or once did, of those that these figures are about."""
        known = self.right | self.old
        return known[self.best] if name == "network" else known


Answers = Callable[[Statement], tuple[bool, bool]]


def asked(folder: Path) -> Iterator[tuple[str, str, Answers]]:
    """(kind, question, whether a line answers now and whether it is outdated)."""
    if (folder / "questions.tsv").exists():
        for one in questions(folder / "questions.tsv"):
            yield one.kind, one.question, _by_pieces(folder, one.answer, one.outdated)
        return
    gold = json.loads((folder / "gold.json").read_text("utf-8"))
    for item in gold["ask"]:
        yield "gold", item["q"], _by_groups(item["match"], gold["updates"])


def _by_pieces(folder: Path, answer: tuple[str, ...], outdated: tuple[str, ...]) -> Answers:
    def judge(claim: Statement) -> tuple[bool, bool]:
        lines = (folder / claim.path).read_text("utf-8").split("\n")[claim.first - 1 : claim.last]
        right, old = (any(piece in "\n".join(lines) for piece in pieces) for pieces in (answer, outdated))
        return right, old and not right

    return judge


def _by_groups(match: list[list[str]], updates: list[dict[str, Any]]) -> Answers:
    def holds(groups: list[list[str]], text: str) -> bool:
        return all(any(word.casefold() in text for word in group) for group in groups)

    told = " ".join(word.casefold() for group in match for word in group)
    ours = [one for one in updates if any(word.casefold() in told for group in one["new"] for word in group)]

    def judge(claim: Statement) -> tuple[bool, bool]:
        text = f"{claim.heading} {claim.lead} {claim.text}".casefold()
        right = holds(match, text)
        return right, not right and any(holds(one["old"], text) and not holds(one["new"], text) for one in ours)

    return judge


def cases(folder: Path) -> Iterator[Case]:
    keep_in(CACHE)
    embedder = default_embedder(CACHE)
    with tempfile.TemporaryDirectory() as place:
        root = Path(place) / "w"
        shutil.copytree(folder / "workspace" if (folder / "workspace").exists() else folder, root)
        (root / "questions.tsv").unlink(missing_ok=True)
        workspace = Workspace(root, root / "dream-vault")
        reindex(workspace, embedder)
        nobody: Answers = lambda _claim: (False, False)  # noqa: E731
        with Index(root, embedder) as index:
            index.read = LiveClaims(workspace)
            for kind, question, judge in (*asked(folder), *(("strange", text, nobody) for text in STRANGE[::2])):
                yield _case(folder.name, kind, search.gathered(index, question), judge)


def small_cases(folder: Path) -> Iterator[Case]:
    """The same questions over memories of a few lines, as a newcomer has: what stands out there is another matter."""
    if not (folder / "questions.tsv").exists():
        return
    keep_in(CACHE)
    embedder = default_embedder(CACHE)
    chosen = Random(folder.name)
    lines = [
        line
        for file in sorted(folder.rglob("*.md"))
        for line in file.read_text("utf-8").split("\n")
        if line[:2] == "- "
    ]
    for one in questions(folder / "questions.tsv"):
        told = [line for line in lines if any(piece in line for piece in one.answer)][:1]
        others = [line for line in lines if not any(piece in line for piece in (*one.answer, *one.outdated))]
        if not told:
            continue
        with tempfile.TemporaryDirectory() as place:
            kept = told + chosen.sample(others, chosen.randint(1, 6))
            chosen.shuffle(kept)
            (Path(place) / "MEMORY.md").write_text("\n".join(["# Memory", "", *kept, ""]), "utf-8")
            workspace = Workspace(Path(place), Path(place) / "dream-vault")
            reindex(workspace, embedder)
            with Index(workspace.root, embedder) as index:
                index.read = LiveClaims(workspace)
                judge = _by_pieces(workspace.root, one.answer, ())
                yield _case(folder.name, "small", search.gathered(index, one.question), judge)
                strange = chosen.choice(STRANGE)
                yield _case(folder.name, "strange", search.gathered(index, strange), lambda _claim: (False, False))


def _case(place: str, kind: str, pool: search.Pool, judge: Answers) -> Case:
    found = list(pool.found.values())
    labels = np.array([judge(one.claim) for one in found], dtype=bool).reshape(-1, 2)
    bare = ranking.Background(pool.usual.lines, pool.usual.often)
    blind = [ranking.Candidate(one.claim, one.words, 0.0, one.beside) for one in found]
    words = ranking.figures(pool.question, blind, pool.weighing, bare, None)
    table = ranking.figures(pool.question, found, pool.weighing, pool.usual, pool.pieces)
    best = np.argsort(-(table @ ranking._weights()["meaning"]), kind="stable")[: ranking.LOOKED_AT]
    network = ranking.looked_closer(pool.question, [found[at].claim for at in best], table[best])
    return Case(place, kind, table, words, network, best, labels[:, 0], labels[:, 1])


def fitted(every: list[Case], name: str) -> Any:
    """Listwise: a line that answers, or one that once did, wins against all others and "nothing"; then "nothing" has odds of one."""
    strange = np.array([case.kind == "strange" for case in every])
    lists = [np.vstack([np.zeros(getattr(case, name).shape[1]), getattr(case, name)]) for case in every]
    wins = [np.concatenate([[quiet], case.known(name)]) for quiet, case in zip(strange, every, strict=True)]
    kept = [at for at, won in enumerate(wins) if won.any()]
    sizes, heavy = [len(wins[at]) for at in kept], [COUNTS.get(every[at].kind, 1.0) for at in kept]
    return listwise(
        np.vstack([lists[at] for at in kept]), np.concatenate([wins[at] for at in kept]), sizes, heavy, RIDGE
    )


def listwise(table: Any, won: Any, sizes: list[int], counts: list[float], ridge: float) -> Any:
    """Weights by which in each list what won gets the larger share."""
    starts = np.cumsum([0, *sizes[:-1]])
    heavy = np.repeat(counts, sizes)

    def slope(weights: Any) -> Any:
        raised = table @ weights
        share = np.exp(raised - np.repeat(np.maximum.reduceat(raised, starts), sizes))
        share /= np.repeat(np.add.reduceat(share, starts), sizes)
        right = share * won
        right /= np.repeat(np.maximum(np.add.reduceat(right, starts), 1e-12), sizes)
        return (heavy * (share - right)) @ table / len(sizes) + ridge * weights

    return descended(slope, table.shape[1], 0.03)


def descended(slope: Callable[[Any], Any], width: int, pace: float) -> Any:
    weights, first, second = np.zeros(width), np.zeros(width), np.zeros(width)
    for step in range(1, STEPS + 1):
        now = slope(weights)
        first, second = 0.9 * first + 0.1 * now, 0.99 * second + 0.01 * now**2
        weights = weights - pace * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.99**step)) + 1e-8)
    return weights


def report(every: list[Case], weights: Any, name: str = "network") -> dict[str, list[tuple[float, ...]]]:
    """For each kind rows of (first right, right in three, first right or once right, found, its chance); for strange messages the best chance."""
    told: dict[str, list[tuple[float, ...]]] = {}
    for case in every:
        odds = getattr(case, name) @ weights
        order = np.argsort(-odds)
        if case.kind == "strange":
            told.setdefault("strange", []).append((1 / (1 + np.exp(-odds.max(initial=-9))),))
            continue
        right = case.right[case.best] if name == "network" else case.right
        ranked, known = right[order], case.known(name)[order]
        answered = 1 / (1 + np.exp(-odds[right].max(initial=-9)))
        row = ranked[:1].any(), ranked[:3].any(), known[:1].any(), case.right.any(), answered
        told.setdefault(case.kind, []).append(tuple(map(float, row)))
    return told


def main() -> None:
    given = [Path(one) for one in sys.argv[1:] if not one.startswith("--")]
    folders = sorted(
        path.parent for folder in given for name in ("questions.tsv", "gold.json") for path in folder.glob(f"*/{name}")
    )
    every = [case for folder in folders for case in (*cases(folder), *small_cases(folder))]
    if "--check" in sys.argv:
        told: dict[str, list[tuple[float, ...]]] = {}
        for folder in folders:
            others = [case for case in every if case.place != folder.name]
            weights = fitted(others, "network")
            for kind, rows in report([c for c in every if c.place == folder.name], weights).items():
                told[kind] = told.get(kind, []) + rows
        for kind, rows in told.items():
            print(
                f"{kind:<10}{len(rows):>5}",
                np.round(np.mean(rows, 0), 2),
                np.round(np.quantile([row[-1] for row in rows], [0.1, 0.25, 0.5, 0.75, 0.9, 0.97]), 3),
            )
        return
    digest = hashlib.sha256(b"".join(np.ascontiguousarray(case.network).tobytes() for case in every)).hexdigest()
    stored = json.loads(OUT.read_text("utf-8"))
    names = {"network": "network"} if "--closer" in sys.argv else {"meaning": "table", "words": "words"}
    for name, table in names.items():
        weights = fitted(every, table)
        stored[name] = np.round(weights, 3).tolist()
        for kind, rows in report(every, weights, table).items():
            print(f"{name:<10}{kind:<10}{len(rows):>5}", np.round(np.mean(rows, 0), 2))
        print(stored[name])
    OUT.write_text(json.dumps(stored | {"trained_on": digest[:16]}) + "\n", "utf-8")


if __name__ == "__main__":
    main()
