from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

__version__: str
built_with: list[str]

_Progress = Callable[[str, float, float], None] | None
_Data = np.ndarray | tuple[np.ndarray, np.ndarray, np.ndarray, tuple[int, int]]

class Model:
    @staticmethod
    def load(path: str, run: dict[str, int]) -> Model: ...
    def save(self, path: str) -> None: ...
    def apply(
        self, data: _Data, names: list[str] | None, missing: str | None, run: dict[str, int]
    ) -> Any: ...
    def drift(
        self, data: _Data, names: list[str] | None, row_names: list[str], run: dict[str, int]
    ) -> tuple[str, list[str]]: ...
    def reduction(self) -> dict[str, Any]: ...

def available_threads() -> int: ...
def reduce(
    data: _Data,
    names: list[str],
    has_names: bool,
    target: list[str] | None,
    batch: list[str] | None,
    options: dict[str, Any],
    run: dict[str, int],
    progress: _Progress,
) -> dict[str, Any]: ...
has_report: bool

def write_report(
    data: _Data,
    names: list[str],
    labels: list[str] | None,
    options: dict[str, Any],
    page: dict[str, Any],
    run: dict[str, int],
    progress: _Progress,
    path: str,
) -> None: ...
def combination_text(
    coefficients: Sequence[float], intercept: float, names: list[str]
) -> str: ...
def sweep(
    data: _Data,
    names: list[str],
    batch: list[str] | None,
    thetas: list[float],
    options: dict[str, Any],
    run: dict[str, int],
    progress: _Progress,
) -> dict[str, Any]: ...
def sweep_levels(
    data: _Data,
    names: list[str],
    batch: list[str] | None,
    options: dict[str, Any],
    run: dict[str, int],
    progress: _Progress,
) -> dict[str, Any]: ...
def predict(
    data: _Data, batch: list[str] | None, run: dict[str, int], progress: _Progress
) -> dict[str, Any]: ...
def select(
    data: _Data,
    labels: list[str] | None,
    options: dict[str, Any],
    run: dict[str, int],
    progress: _Progress,
) -> dict[str, Any]: ...
def cluster(
    data: _Data, options: dict[str, Any], run: dict[str, int], progress: _Progress
) -> dict[str, Any]: ...
def compare(
    data: _Data,
    labels: list[str] | None,
    options: dict[str, Any],
    run: dict[str, int],
    progress: _Progress,
) -> dict[str, Any]: ...
def stability(
    data: _Data,
    names: list[str],
    target: list[str] | None,
    method: dict[str, Any],
    options: dict[str, Any],
    run: dict[str, int],
    progress: _Progress,
) -> dict[str, Any]: ...
def classify(
    data: _Data, labels: list[str], n_folds: int, run: dict[str, int]
) -> dict[str, Any]: ...
def score(a: Sequence[int], b: Sequence[int]) -> tuple[float, float]: ...
def read_positions(path: str, names: Sequence[str]) -> tuple[list[int], list[float]]: ...
def read(path: str, options: dict[str, Any], run: dict[str, int]) -> dict[str, Any]: ...
def arrow_table(stream: Any) -> tuple[np.ndarray, list[str]]: ...
