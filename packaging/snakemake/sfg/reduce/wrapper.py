"""Snakemake wrapper for `sfg reduce`: writes the files that the rule names, and no others."""

__author__ = "The sfg authors"
__license__ = "MIT"

import shutil
import tempfile
from pathlib import Path

from snakemake.shell import shell

ENDINGS = {
    "kept": "kept.txt",
    "removed": "removed.tsv",
    "groups": "groups.tsv",
    "equations": "equations.tsv",
    "weights": "weights.tsv",
    "model": "model.json",
}

extra = snakemake.params.get("extra", "")
log = snakemake.log_fmt_shell(stdout=True, stderr=True)
unknown = set(snakemake.output.keys()) - set(ENDINGS) - {"reduced"}
if unknown:
    raise ValueError(f"sfg reduce has no output {sorted(unknown)}; there are {sorted(ENDINGS)} and reduced")
if not snakemake.output.keys():
    raise ValueError("name the outputs: kept=..., reduced=..., as meta.yaml lists them")

# sfg names its files by a prefix, Snakemake by the rule. All of them are moved when all are there.
with tempfile.TemporaryDirectory(dir=Path(snakemake.output[0]).parent) as folder:
    prefix = f"{folder}/out"
    shell("sfg reduce {snakemake.input[0]:q} -o {prefix:q} --threads {snakemake.threads} {extra} {log}")
    for name, target in snakemake.output.items():
        if name == "reduced":
            (made,) = Path(folder).glob("out.reduced.*")
        else:
            made = Path(f"{prefix}.{ENDINGS[name]}")
        shutil.move(made, target)
