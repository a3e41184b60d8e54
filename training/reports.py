"""How well a judge ranks."""

from __future__ import annotations

from typing import Any

import numpy as np


def auc(wanted: Any, score: Any) -> float:
    """How often a wanted line is ranked above another one; ties count half."""
    order = np.argsort(score, kind="stable")
    _, inverse, counts = np.unique(score[order], return_inverse=True, return_counts=True)
    ranks = np.empty(len(score))
    ranks[order] = (np.cumsum(counts) - (counts - 1) / 2)[inverse]
    good = int(wanted.sum())
    return (
        float("nan")
        if good in (0, len(wanted))
        else float((ranks[wanted].sum() - good * (good + 1) / 2) / (good * (len(wanted) - good)))
    )


def average_precision(wanted: Any, score: Any) -> float:
    hits = wanted[np.argsort(-score, kind="stable")]
    at = np.arange(1, len(hits) + 1)
    return float((np.cumsum(hits) / at)[hits].mean()) if hits.any() else float("nan")
