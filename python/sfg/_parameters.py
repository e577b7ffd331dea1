"""Parameters of estimators, out of the library's own list of options.

The library lists each option once: name, range or choices, default, one sentence. Signature and
documentation of an estimator are made from that list, so that they cannot differ from it.
"""

from __future__ import annotations

import functools
import inspect
import textwrap
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from . import _core

_Class = TypeVar("_Class", bound=type)

#: How to run: the same for every estimator, and in the terms of scikit-learn.
_RUN: list[dict[str, Any]] = [
    {
        "name": "n_jobs",
        "type": "int",
        "default": None,
        "help": "Threads. None is OMP_NUM_THREADS if that is set, else all cores, as -1 is. The "
        "answer does not depend on it.",
    },
    {
        "name": "memory_limit",
        "type": "int or str",
        "default": None,
        "help": 'Most memory to plan with, in bytes or as "8G"; None: 80 % of what is free.',
    },
    {
        "name": "random_state",
        "type": "int, RandomState or None",
        "default": 1,
        "help": "For folds and random choices. The default is the command line's.",
    },
    {
        "name": "verbose",
        "type": "bool or callable",
        "default": False,
        "help": "True prints progress to standard error; a function is called with (stage, done, "
        "total).",
    },
]

#: What every fitted estimator has, in place of `{inputs}` in its documentation.
_INPUTS = """n_features_in_, feature_names_in_
        As everywhere in scikit-learn."""

#: Every convention of the paper's experiments.
PRESET: dict[str, Any] = {
    "name": "preset",
    "type": '{"paper"}',
    "default": None,
    "help": "Every convention of the paper's experiments.",
}


#: What becomes of cells without a value.
MISSING: dict[str, Any] = {
    "name": "missing",
    "type": '{"refuse", "pairwise"}',
    "default": "refuse",
    "help": "What to do about NaN in X. refuse: they are an error, fill them in first. pairwise: "
    "features are compared by the samples that both have; transform keeps the gaps.",
}


def fields_of(stage: str, names: Iterable[str] | None = None, **changes: Any) -> list[dict[str, Any]]:
    """The library's fields of a stage, all or these; `changes` are other defaults by name."""
    fields = {field["name"]: field for field in _core.fields(stage)}
    chosen = list(fields) if names is None else list(names)
    return [
        fields[name] | ({"default": changes[name]} if name in changes else {}) for name in chosen
    ]


def method_fields() -> list[dict[str, Any]]:
    """The fields of the whole method. A grouping that is not given is told apart from one that is: the
    options of one grouping beside the name of another are refused."""
    fields = fields_of("method", grouping=None)
    fields[0] = fields[0] | {
        "help": fields[0]["help"] + ". None: the one that max_r2, theta or weight_threshold is for, "
        "else compact"
    }
    return fields


def _type_text(field: dict[str, Any]) -> str:
    choices = field.get("choices")
    if choices:
        return "{" + ", ".join(f'"{name}"' for name, _ in choices) + "}"
    if field.get("form"):
        return f"{field['type']} as {field['form']}"
    zero = f' or "{field["zero"]}"' if field.get("zero") else ""
    limits = f" {field['limits']}" if field.get("limits") else ""
    return f"{field['type']}{limits}{zero}"


def _help_text(field: dict[str, Any], n_groupings: int) -> str:
    text = field["help"] + ("" if field["help"].endswith(".") else ".")
    for name, meaning in field.get("choices") or ():
        text += f" {name}: {meaning}." if meaning else ""
    owners = field.get("groupings") or {}
    if owners and len(owners) < n_groupings:
        text = f"For {' and '.join(owners)} groups. {text}"
    if len({str(value) for value in owners.values()}) > 1:
        text += " None: " + ", ".join(f"{value!r} for {name}" for name, value in owners.items()) + "."
    return text


def _documented(text: str | None, fields: list[dict[str, Any]]) -> str:
    """The text with the entries below "Parameters", in the manner of numpydoc, in place of
    `{parameters}`."""
    before, place, after = (text or "").partition("{parameters}")
    margin = before.rpartition("\n")[2]
    n_groupings = max((len(field.get("groupings") or ()) for field in fields), default=0)
    lines = []
    for field in fields:
        lines.append(f"{margin}{field['name']} : {_type_text(field)}, default={field['default']!r}")
        indent = margin + " " * 4
        help_text = _help_text(field, n_groupings)
        lines.append(textwrap.fill(help_text, 96, initial_indent=indent, subsequent_indent=indent))
    return before + "\n".join(lines).lstrip() + after if place else before


def with_parameters(fields: list[dict[str, Any]]) -> Callable[[_Class], _Class]:
    """Gives a class an `__init__` with these parameters, the first by position, and documents them
    in place of `{parameters}`, and what `fit` sets from its input in place of `{inputs}`."""
    everything = fields + _RUN

    def decorate(cls: _Class) -> _Class:
        names = [field["name"] for field in everything]
        defaults = {f"_{field['name']}": field["default"] for field in everything}
        arguments = ", ".join(
            f"{'*, ' if place == 1 else ''}{name}=_{name}" for place, name in enumerate(names)
        )
        body = "\n".join(f"    self.{name} = {name}" for name in names)
        space: dict[str, Any] = {}
        exec(f"def __init__(self, {arguments}):\n{body}\n", defaults, space)
        cls.__init__ = space["__init__"]
        cls.__init__.__qualname__ = f"{cls.__qualname__}.__init__"
        cls.__init__.__module__ = cls.__module__
        cls._fields = fields
        cls.__doc__ = _documented(cls.__doc__, everything).replace("{inputs}", _INPUTS)
        return cls

    return decorate


def with_options(fields: list[dict[str, Any]]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Gives a function these fields as keyword parameters, documented in place of `{parameters}`. The
    function itself takes them together, by name, as `options`."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        own = inspect.signature(function)
        listed = [
            inspect.Parameter(field["name"], inspect.Parameter.KEYWORD_ONLY, default=field["default"])
            for field in fields
        ]
        others = [parameter for parameter in own.parameters.values() if parameter.name != "options"]
        named = (inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.VAR_KEYWORD)
        by_position = [one for one in others if one.kind not in named]
        by_name = [one for one in others if one.kind in named]

        @functools.wraps(function)
        def with_keywords(*args: Any, **kwargs: Any) -> Any:
            options = {one.name: kwargs.pop(one.name, one.default) for one in listed}
            return function(*args, options=options, **kwargs)

        with_keywords.__signature__ = own.replace(parameters=[*by_position, *listed, *by_name])
        with_keywords.__doc__ = _documented(function.__doc__, fields)
        return with_keywords

    return decorate


def given_options(estimator: Any, names: Iterable[str] | None = None) -> dict[str, Any]:
    """Parameters that are not at their default, for the library."""
    wanted = None if names is None else set(names)
    given = {}
    for field in estimator._fields:
        name = field["name"]
        value = getattr(estimator, name)
        if (wanted is None or name in wanted) and not _same(value, field["default"]):
            given[name] = value
    return given


def _same(value: Any, default: Any) -> bool:
    if value is None or default is None:
        return value is default
    return type(value) is type(default) and value == default
