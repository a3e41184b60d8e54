"""What each half of the judgement is worth: the nights of `nights/` with rules alone, with the judge alone, with both.

    python benchmarks/ablation.py

Lines: "rules alone" lets in whatever no rule refuses; "judge alone" asks the learned judge, and keeps
only the rules without which a promise refuses the night (quoted text, instructions, secrets). Pairs: "rules alone" sees no
probability of the judge of pairs; "judge alone" takes its word where it is sure. The rest of the night (budget, promises,
do no harm) is the same in all. Shares over all nights, each night counting the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest.mock import patch

from nights import NIGHTS, dreamt
from reverie.phases import consider, distill, relate
from reverie.phases.judge import DONE_SURE, UPDATE_SURE, Judged
from reverie.phases.near import Near
from reverie.phases.worthy import TRUSTED

PARTS = ("keep", "precision", "clean", "updates", "stale", "coexist", "untouched")


def _sure_of_all(lines: Sequence[Any], _embed: Any) -> list[Judged]:
    return [Judged(1.0, {}, "fact") for _ in lines]


_AGAINST = consider._against
_PROMISED = frozenset({"untrusted", "instruction", "secret or personal data", "not one line"})


def _only_what_is_promised(*told: Any) -> str:
    """Without these the promises refuse every such night whole, and there is nothing to measure."""
    why = _AGAINST(*told)
    return why if why in _PROMISED or told[1].claim.origin not in TRUSTED else ""


def _without_chances(relation: Callable[[Near], tuple[str, float]]) -> Callable[[Near], tuple[str, float]]:
    def asked(near: Near) -> tuple[str, float]:
        chance: Mapping[str, float] = {**dict.fromkeys(near.chance, 0.0), "unrelated": 1.0}
        return relation(Near(near.old, near.new, chance, near.cosine, near.anchors, near.met, near.rare))

    return asked


def _judge_only(near: Near) -> tuple[str, float]:
    if near.chance["update"] + near.chance["correction"] >= UPDATE_SURE:
        return relate.UPDATES, 2.0
    return (relate.ENDS, 2.0) if near.chance["done"] + near.chance["retraction"] >= DONE_SURE else ("", 0.0)


@contextmanager
def _with(**changes: Any) -> Iterator[None]:
    homes = {"judge_lines": consider, "_against": consider, "relation": distill}
    with ExitStack() as stack:
        for name, other in changes.items():
            stack.enter_context(patch.object(homes[name], name, other))
        yield


WAYS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("both", {}),
    ("lines: rules alone", {"judge_lines": _sure_of_all}),
    ("lines: judge alone", {"_against": _only_what_is_promised}),
    ("pairs: rules alone", {"relation": _without_chances(relate.relation)}),
    ("pairs: judge alone", {"relation": _judge_only}),
)


def main() -> None:
    cases = sorted(path.parent for path in NIGHTS.glob("*/wanted.json"))
    print("| | " + " | ".join(PARTS) + " | secrets written |")
    print("|---|" + "---|" * (len(PARTS) + 1))
    for name, changes in WAYS:
        with _with(**changes):
            found = [dreamt(case) for case in cases]
        cells = [f"{sum(one.parts[part] for one in found) / len(found):.2f}" for part in PARTS]
        print(f"| {name} | " + " | ".join(cells) + f" | {sum(len(one.leaks) for one in found)} |", flush=True)


if __name__ == "__main__":
    main()
