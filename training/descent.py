"""One minimiser for all training: the same numbers in, the same numbers out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


def descend(value: Callable[[Any], tuple[float, Any]], start: Any, steps: int) -> Any:
    """L-BFGS with ten remembered steps and a halving line search."""
    at, (cost, slope) = start, value(start)
    memory: list[tuple[Any, Any, float]] = []
    for _ in range(steps):
        way, used = slope.copy(), []
        for step, bend, size in reversed(memory):
            used.append(float(step @ way) / size)
            way -= used[-1] * bend
        if memory:
            step, bend, size = memory[-1]
            way *= size / float(bend @ bend)
        for (step, bend, size), share in zip(memory, reversed(used), strict=True):
            way += (share - float(bend @ way) / size) * step
        length, down = 1.0 if memory else 1.0 / max(float(np.abs(slope).sum()), 1e-9), float(slope @ way)
        while True:
            there = at - length * way
            new_cost, new_slope = value(there)
            if new_cost <= cost - 1e-4 * length * down or length < 1e-8:
                break
            length /= 2
        step, bend = there - at, new_slope - slope
        if (size := float(step @ bend)) > 1e-10:
            memory = [*memory[-9:], (step, bend, size)]
        done = cost - new_cost < 1e-5 * abs(cost)
        at, cost, slope = there, new_cost, new_slope
        if done:
            break
    return at
