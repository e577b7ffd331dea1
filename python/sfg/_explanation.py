"""Why a feature was kept or removed."""

from __future__ import annotations

import html
from dataclasses import dataclass, field

#: Members of a group that a text lists.
_SHOWN = 12


@dataclass(frozen=True)
class Explanation:
    """What became of one feature. `print()` it for a text.

    Attributes
    ----------
    feature, index
        Its name and number.
    role : {"representative", "kept", "removed", "empty"}
        kept: alone in its group. empty: all zero or constant, and left out.
    representative : str or None
        The feature that is kept instead, or the feature itself.
    r2 : float or None
        Squared correlation with the representative.
    best_kept, best_kept_r2 : str and float, or None
        Of a removed feature: the kept one with the largest squared correlation, which may be nearer than
        the representative.
    held_out_r2 : float or None
        How well the kept features predict it on samples held out; None if that was not tried.
    reason, certificate : str or None
        Of a removed feature, as in `SparseFeatureGraph.certificate_`.
    combination : str or None
        Of kept features, in units of the data ("rank(a)" with a transformation, and then it
        speaks of that scale of the feature itself too); None unless the feature was removed.
    terms : list of (str, float)
        The same as pairs of name and coefficient, to which `intercept` is added.
    combination_r2 : float or None
        Share of the variance that it explains on the very samples that it was fitted on.
    group : list of str
        All members of its group.
    stand_in, stand_in_r2 : str and float, or None
        Of a kept feature that stands for others: the member of its group that is nearest to it, to
        take if the feature itself cannot be measured.
    mean_r2, mean_r2_instead : float or None
        Mean r2 of the other members of the group with the feature, and with the stand-in in its place.
    """

    feature: str
    index: int
    role: str
    representative: str | None
    r2: float | None
    held_out_r2: float | None = None
    reason: str | None = None
    certificate: str | None = None
    combination: str | None = None
    terms: list[tuple[str, float]] = field(default_factory=list)
    intercept: float = 0.0
    combination_r2: float | None = None
    group: list[str] = field(default_factory=list)
    stand_in: str | None = None
    stand_in_r2: float | None = None
    mean_r2: float | None = None
    mean_r2_instead: float | None = None
    best_kept: str | None = None
    best_kept_r2: float | None = None

    def __str__(self) -> str:
        lines = [f"{self.feature}: {self._what_happened()}"]
        if self.reason == "redundant" and self.best_kept not in (None, self.representative):
            lines.append(f"  the nearest kept feature is {self.best_kept} (r2 {self.best_kept_r2:.4f})")
        if self.held_out_r2 is not None:
            share = 100 * max(0.0, self.held_out_r2)
            lines.append(f"  the kept features predict {share:.1f} % of it on samples held out")
        if self.combination is not None and self.certificate == "exact":
            lines.append(f"  {self.feature} = {self.combination}")
        elif self.combination is not None and self.reason != "unshared":
            share = 100 * (self.combination_r2 or 0.0)
            lines.append(f"  {self.combination} explains {share:.1f} % of it (in sample)")
        if self.stand_in is not None:
            lines.append(
                f"  if you cannot measure {self.feature}, take {self.stand_in}: r2 {self.stand_in_r2:.3f}"
            )
        if self.stand_in is not None and len(self.group) > 2:
            lines.append(
                f"  (mean r2 of the rest of the group: {self.mean_r2_instead:.3f} with it, "
                f"{self.mean_r2:.3f} with {self.feature})"
            )
        if len(self.group) > 1:
            more = ", ..." if len(self.group) > _SHOWN else ""
            members = ", ".join(self.group[:_SHOWN]) + more
            lines.append(f"  group of {len(self.group)}: {members}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        head, *lines = str(self).split("\n")
        rest = "".join(f"<br>{html.escape(line.strip())}" for line in lines)
        return f"<p><b>{html.escape(self.feature)}</b>{html.escape(head[len(self.feature):])}{rest}</p>"

    def _what_happened(self) -> str:
        if self.reason == "exact":
            return "removed, it is an exact sum of other features"
        if self.reason == "unshared":
            return "removed, it shares nothing with the other features: noise, or unique"
        if self.role == "removed":
            return f"removed, {self.representative} is kept instead (r2 {self.r2:.4f})"
        if self.role == "empty":
            return "removed, it has no direction (all zero, or constant in centred data)"
        others = len(self.group) - 1
        if self.role == "representative":
            return f"kept, it stands for {others} other feature{'s' if others != 1 else ''}"
        return "kept, no other feature stands for it, and it stands for no other"
