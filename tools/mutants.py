"""Small changes of C++ sources, each of which some test ought to notice. tools/mutate tries them.

Works on text as clang-format lays it out: blanks stand around binary operators, and none in template brackets.
"""

import random
import re
from dataclasses import dataclass

# What changes no result: messages, room taken in advance, checks of limits, assertions.
NOT_MUTATED = re.compile(
    r"\b(throw|Error\(|fmt::|reserve\(|require_memory|check_stop|static_assert|assert\(|template|using|namespace|"
    r"operator|SingleThreadedBlas|advice|noexcept\(|ErrorCode)\b|\[\[noreturn\]\]|#"
)
COMMENT_OR_QUOTE = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"([^(\s]*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])+\'', re.DOTALL
)

REPLACED = {
    "boundary": {" < ": " <= ", " <= ": " < ", " > ": " >= ", " >= ": " > "},
    "comparison": {" == ": " != ", " != ": " == ", " < ": " >= ", " > ": " <= "},
    "arithmetic": {" + ": " - ", " - ": " + ", " * ": " / ", " / ": " * ", " += ": " -= ", " -= ": " += "},
    "logic": {" && ": " || ", " || ": " && ", "(!": "("},
    "min_max": {
        "std::min(": "std::max(", "std::max(": "std::min(", "min_element(": "max_element(",
        "max_element(": "min_element(", "lower_bound(": "upper_bound(", "upper_bound(": "lower_bound(",
    },
    "constant": {"true": "false", "false": "true", "std::fabs(": "(", "std::abs(": "(", "std::sqrt(": "("},
}
NUMBER = re.compile(r"(?<![\w.'])(\d+\.\d+(?:e-?\d+)?|\d+e-?\d+|\d+)(?=[^\w.'x]|$)")
STATEMENT = re.compile(r"^\s+(?!return\b|const\b|auto\b|static\b|constexpr\b|if\b|for\b|while\b|else\b)"
                       r"[\w:.\[\]>()*-]+(?: [-+*/|&^]?= .*|\(.*\));$")
GUARD = re.compile(r"^\s+(?:if \(.*\) )?(?:return\b.*|continue|break);$")
CONDITION = re.compile(r"\bif \((.+)\) (?=[\w{(+*-].*[;{]$|\{$)")
ARGUMENTS = re.compile(r"\b(\w+)\(([a-z_][\w.]*(?:\[\w+\])?), ([a-z_][\w.]*(?:\[\w+\])?)\)")
SYMMETRIC = {"min", "max", "swap", "hypot"}


@dataclass(frozen=True)
class Mutant:
    """`before` at `begin` of the file becomes `after`."""

    file: str
    line: int
    operator: str
    begin: int
    before: str
    after: str

    def apply(self, text):
        return text[: self.begin] + self.after + text[self.begin + len(self.before) :]


def without_texts(text):
    """The code with comments and what stands in quotes as blanks: all places stay."""
    return COMMENT_OR_QUOTE.sub(lambda found: re.sub(r"[^\n]", "~" if found[0][0] in "\"'R" else " ", found[0]), text)


def changed_number(number):
    if "." in number or "e" in number:
        return "1.0" if float(number) == 0 else repr(2 * float(number))
    return str(int(number) + 1)


def mutants_of_line(line, line_before):
    """(operator, begin, before, after) of each change of one line of code."""
    for operator, pairs in REPLACED.items():
        for before, after in pairs.items():
            begin = line.find(before)
            while begin >= 0:
                if before[0].isalpha() and begin > 0 and (line[begin - 1].isalnum() or line[begin - 1] == "_"):
                    break
                yield operator, begin, before, after
                begin = line.find(before, begin + 1)
    for found in NUMBER.finditer(line):
        yield "constant", found.start(), found[0], changed_number(found[0])
    # A line that ends a statement begun above is no statement.
    stands_alone = not line_before or line_before.rstrip().endswith((";", "{", "}", ":"))
    indent = len(line) - len(line.lstrip())
    if stands_alone and STATEMENT.match(line):
        yield "dropped_statement", indent, line.strip(), ";"
    if stands_alone and GUARD.match(line) and not line.strip().startswith("return"):
        yield "dropped_exit", indent, line.strip(), ";"
    if stands_alone and line.strip().startswith("if (") and line.count("(") == line.count(")"):
        for found in CONDITION.finditer(line):
            yield "negated_condition", found.start(1), found[1], f"!({found[1]})"
            if re.match(r"(return|continue|break)\b", line[found.end():]):
                yield "early_exit", found.start(1), found[1], "true"
    for found in ARGUMENTS.finditer(line):
        if found[1] not in SYMMETRIC and found[2] != found[3]:
            swapped = f"{found[1]}({found[3]}, {found[2]})"
            yield "swapped_arguments", found.start(), found[0], swapped


def mutants_of_file(file, text):
    """All mutants, by line."""
    by_line = {}
    begin = 0
    line_before = ""
    for number, line in enumerate(without_texts(text).split("\n"), 1):
        if line.strip() and not NOT_MUTATED.search(line) and "~" not in line:
            found = [
                Mutant(file, number, operator, begin + at, before, after)
                for operator, at, before, after in mutants_of_line(line, line_before)
            ]
            if found:
                by_line[number] = found
        begin += len(line) + 1
        line_before = line if line.strip() else line_before
    return by_line


def choose(by_line, count, seed):
    """At most one mutant per line: the line by chance, then the kind of change, then the place."""
    chance = random.Random(seed)
    lines = sorted(by_line)
    chosen = []
    for key in chance.sample(lines, min(count, len(lines))):
        operators = sorted({mutant.operator for mutant in by_line[key]})
        operator = chance.choice(operators)
        chosen.append(chance.choice([mutant for mutant in by_line[key] if mutant.operator == operator]))
    return chosen
