"""What a user says. The symptom is read off the runs; a theory, often a wrong one, may be added."""

from __future__ import annotations

import math
import random
from typing import Literal

Symptom = Literal["crash", "not-a-number", "frozen", "diverges", "creeps", "worse", "differs", "none"]

_SAYINGS: dict[Symptom, tuple[str, ...]] = {
    "crash": (
        "{file} stops with an exception as soon as the fit of the {what} starts. Please make it run.",
    ),
    "not-a-number": (
        "{file} fits the {what} of {subject}. The first {loss} looks fine, then everything is nan.",
        "I get nan in the {what} after a single step of {file}, although the {loss} itself is a plain number before.",
        "nan, nan, nan. {file} worked in my head. The simulation of {subject} alone is stable, I checked that.",
    ),
    "frozen": (
        "The {what} in {file} stay exactly where they start, and so does the {loss}.",
        "I run {file} and nothing happens: {loss} is the same number in every line that it prints.",
        "{file} is supposed to fit the {what} of {subject}, but it does not move at all.",
    ),
    "diverges": (
        "The {loss} in {file} gets larger instead of smaller ({first} at the start, {last} at the end).",
        "{file} starts out at {first} and ends at {last}. It should go down, I want the {what} of {subject} from it.",
        "Fitting the {what} makes things worse: {first} becomes {last} over the run of {file}.",
    ),
    "creeps": (
        "{file}: the {loss} first falls to {best}, then creeps up again and ends at {last}.",
        "My fit of the {what} looks good for a while ({best}) and then drifts away again, see {file}.",
        "In {file} the {loss} goes down and then comes back up. {subject} is nothing exotic, so what is going on?",
    ),
    "worse": (
        "{file} converges, but to {last}. A brute-force search finds {what} with a far smaller {loss}.",
        "The fit in {file} ends at {last}; a colleague reaches less than {reach} with the same model of {subject}.",
        "I expected {file} to bring the {loss} below {reach}, the data are synthetic after all. It stops at {last}.",
        "The {what} that {file} finds for {subject} are clearly off ({loss} {last}), the true ones give almost 0.",
    ),
    "differs": (
        "{file} fits the {what} of {subject} and looks plausible, but when I nudge one value by hand the {loss} "
        "changes by something else than the gradient says.",
        "Before I use {file} for real data: a quick finite-difference check of mine disagrees with .grad for some of "
        "the {what}. Who is right?",
        "The {loss} in {file} does go down, just not the way it should near a minimum. I have a bad feeling about it.",
    ),
    "none": (
        "Can I trust the gradient of the {what} in {file}? It will be used for a publication.",
        "Somebody told me that {file} cannot have a correct gradient, because of the way it is written. Please check, "
        "and repair it if that is so.",
        "{file} fits the {what} of {subject}. Is the gradient right? If not, fix it.",
        "The fit in {file} is slower than I would like. Is something wrong with its gradient?",
    ),
}  # fmt: skip
_THEORIES = (
    "Is the learning rate too large?", "I think the learning rate is too small.", "Probably float32 is not enough.",
    "Could it be a problem of Warp's optimizer?", "I suspect that the data are too noisy.",
    "Does this need more iterations?", "Maybe the time step is too coarse?", "A friend blames the initial values.",
    "I already tried smaller steps, that only makes it slower.", "I guess some array lacks requires_grad.",
    "I bet it is the atomics.", "Perhaps the problem is just ill-posed.",
)  # fmt: skip
_REQUESTS = ("Please find out why and fix it.", "What is wrong?", "Can you repair it?", "Help?", "Please fix.")


def symptom(values: list[float], failure: str, clean_last: float) -> Symptom:
    """What the losses that a faulty program prints look like beside where the clean one ends."""
    if failure:
        return "crash"
    if not all(math.isfinite(v) for v in values):
        return "not-a-number"
    first, last, best = values[0], values[-1], min(values)
    if max(values) - best <= 1e-6 * abs(first):
        return "frozen"
    if last > 1.02 * first:
        return "diverges"
    if last > 1.3 * best and last > 0.01 * first:
        return "creeps"
    if last > 3.0 * clean_last and last > 0.02 * first:
        return "worse"
    return "differs"


def prompt(found: Symptom, rng: random.Random, words: dict[str, str]) -> str:
    """The user's words."""
    text = rng.choice(_SAYINGS[found]).format(**words)
    parts = [text[0].upper() + text[1:] if not text.startswith(words["file"]) else text]
    if found != "none":
        if rng.random() < 0.6:
            parts.append(rng.choice(_THEORIES))
        parts.append(rng.choice(_REQUESTS))
    return " ".join(parts)
